import {
  CREDIT_FACE_MICROS,
  rebateMicros,
  rebateTierAt,
  type CreditIssued,
  type CreditRedeemed,
  type PaymentSettled,
} from '@evenkeel/contracts';
import type { AnnouncedEvent, WalletBalances } from './credit.fixture';

/** The answers to the callers of a wallet, to compare with its events. */
export interface Seen {
  /** Payments that got their answer from the settle call that paid them. */
  answeredDirectly: ReadonlySet<string>;
  /** Payments whose answer brought a credit. */
  broughtCredit: ReadonlySet<string>;
}

/** The rules of rebates and credits in a few lines: replays the events of one wallet, in its order, from its first balances. */
export class WalletModel {
  readonly problems: string[] = [];
  private readonly paid = new Set<string>();
  private readonly creditOf = new Map<string, string>();
  private readonly spent = new Set<string>();
  private expectedSeq = 0;
  /** The payment whose answer must have taken a credit: the next event says so. */
  private due: string | null = null;

  constructor(
    private readonly balances: WalletBalances,
    private readonly seen: Seen,
  ) {}

  play(events: AnnouncedEvent[]): WalletBalances {
    for (const { seq, type, payload } of events) {
      this.check(seq === ++this.expectedSeq, `event ${seq} where ${this.expectedSeq} was due`);
      const data: unknown = payload;
      if (type === 'credit.issued') this.issued(data as CreditIssued);
      else {
        this.check(this.due === null, `${this.due} found a face value and took no credit`);
        this.due = null;
        if (type === 'payment.settled') this.settled(data as PaymentSettled);
        if (type === 'credit.redeemed') this.redeemed(data as CreditRedeemed);
      }
    }
    this.check(this.due === null, `${this.due} found a face value and took no credit`);
    return this.balances;
  }

  private settled({ paymentId, amountMicros, tier, rebateMicros: rebate }: PaymentSettled): void {
    this.check(!this.paid.has(paymentId), `${paymentId} settled twice`);
    this.paid.add(paymentId);
    this.balances.settledMicros += amountMicros;
    const reached = rebateTierAt(this.balances.settledMicros);
    const expected = rebateMicros(amountMicros, reached);
    this.check(tier === reached.tier && rebate === expected, `${paymentId}: ${tier} ${rebate}, not ${expected}`);
    this.balances.earnedMicros += expected;
    this.balances.accruedMicros += expected;
    const isDue = this.seen.answeredDirectly.has(paymentId) && this.balances.accruedMicros >= CREDIT_FACE_MICROS;
    if (isDue) this.due = paymentId;
  }

  private issued({ creditId, paymentId, faceMicros }: CreditIssued): void {
    this.check(this.due === null || this.due === paymentId, `the credit of ${this.due} is missing`);
    this.due = null;
    this.check(this.paid.has(paymentId), `a credit for ${paymentId}, which had not settled`);
    this.check(this.seen.broughtCredit.has(paymentId), `a credit for ${paymentId}, which no caller was given`);
    this.check(this.balances.accruedMicros >= faceMicros, `a credit out of ${this.balances.accruedMicros}`);
    this.check(![...this.creditOf.values()].includes(paymentId), `two credits for ${paymentId}`);
    this.creditOf.set(creditId, paymentId);
    this.balances.issued += 1;
    this.balances.issuedMicros += faceMicros;
    this.balances.accruedMicros -= faceMicros;
  }

  private redeemed({ creditId, priceMicros, changeMicros }: CreditRedeemed): void {
    this.check(this.creditOf.has(creditId) && !this.spent.has(creditId), `${creditId} spent twice, or never issued`);
    this.spent.add(creditId);
    this.check(changeMicros === CREDIT_FACE_MICROS - priceMicros, `${creditId}: change of ${changeMicros}`);
    this.balances.redeemed += 1;
    this.balances.changeMicros += changeMicros;
    this.balances.accruedMicros += changeMicros;
  }

  private check(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }
}
