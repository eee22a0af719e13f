import {
  CREDIT_FACE_MICROS,
  rebateMicros,
  rebateTierAt,
  type CreditIssued,
  type CreditRedeemed,
  type PaymentSettled,
} from '@evenkeel/contracts';
import type { AnnouncedEvent, Books } from './credit-books.fixture';

/** What the callers of a wallet saw, to be compared with what its events say. */
export interface Seen {
  /** Payments that got their answer from the very settle call that paid them. */
  answeredDirectly: ReadonlySet<string>;
  /** Payments whose answer brought a credit. */
  broughtCredit: ReadonlySet<string>;
}

/** The rules of spec-decisions 3.7 in a few lines: replays the events of one wallet, in its order, from where it began. */
export class WalletModel {
  readonly problems: string[] = [];
  private readonly paid = new Set<string>();
  private readonly creditOf = new Map<string, string>();
  private readonly spent = new Set<string>();
  private expectedSeq = 0;
  /** The payment whose answer must have taken a credit: the next event says so. */
  private due: string | null = null;

  constructor(
    private readonly books: Books,
    private readonly seen: Seen,
  ) {}

  play(events: AnnouncedEvent[]): Books {
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
    return this.books;
  }

  private settled({ paymentId, amountMicros, tier, rebateMicros: rebate }: PaymentSettled): void {
    this.check(!this.paid.has(paymentId), `${paymentId} settled twice`);
    this.paid.add(paymentId);
    this.books.settledMicros += amountMicros;
    const reached = rebateTierAt(this.books.settledMicros);
    const expected = rebateMicros(amountMicros, reached);
    this.check(tier === reached.tier && rebate === expected, `${paymentId}: ${tier} ${rebate}, not ${expected}`);
    this.books.earnedMicros += expected;
    this.books.accruedMicros += expected;
    const isDue = this.seen.answeredDirectly.has(paymentId) && this.books.accruedMicros >= CREDIT_FACE_MICROS;
    if (isDue) this.due = paymentId;
  }

  private issued({ creditId, paymentId, faceMicros }: CreditIssued): void {
    this.check(this.due === null || this.due === paymentId, `the credit of ${this.due} is missing`);
    this.due = null;
    this.check(this.paid.has(paymentId), `a credit for ${paymentId}, which had not settled`);
    this.check(this.seen.broughtCredit.has(paymentId), `a credit for ${paymentId}, which nobody was given`);
    this.check(this.books.accruedMicros >= faceMicros, `a credit out of ${this.books.accruedMicros}`);
    this.check(![...this.creditOf.values()].includes(paymentId), `two credits for ${paymentId}`);
    this.creditOf.set(creditId, paymentId);
    this.books.issued += 1;
    this.books.issuedMicros += faceMicros;
    this.books.accruedMicros -= faceMicros;
  }

  private redeemed({ creditId, priceMicros, changeMicros }: CreditRedeemed): void {
    this.check(this.creditOf.has(creditId) && !this.spent.has(creditId), `${creditId} spent twice, or never issued`);
    this.spent.add(creditId);
    this.check(changeMicros === CREDIT_FACE_MICROS - priceMicros, `${creditId}: change of ${changeMicros}`);
    this.books.redeemed += 1;
    this.books.changeMicros += changeMicros;
    this.books.accruedMicros += changeMicros;
  }

  private check(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }
}
