import {
  CREDIT_FACE_MICROS,
  type CreditIssued,
  type CreditRedeemed,
  PAID_ENDPOINTS,
  type PaymentSettled,
  rebateMicros,
  rebateTierAt,
} from '@evenkeel/contracts';
import type { ModeCommand } from '@evenkeel/facilitator';
import fc from 'fast-check';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import type { Gateway, Reply } from '../gateway.fixture';
import type { AnnouncedEvent, WalletBalances } from '../ledger/claim.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { rebateOf, redeem, settleInBackground } from './credit.fixture';

/** Every call has all of these; numbers select from what exists when the call is made. */
export interface RandomCall {
  kind: 'pay' | 'repeat' | 'redeem' | 'redeem beside a payment' | 'unknown credit' | 'settle an open one';
  which: number;
  endpoint: number;
  keyed: boolean;
  mode: ModeCommand | null;
  valid: boolean;
}

const MODES: ModeCommand[] = [
  { mode: 'refused' },
  { mode: 'refused', reason: 'unexpected_error' },
  { mode: 'reset', on: 'settle' },
  { mode: 'settled-but-answer-lost' },
  { mode: 'reverted' },
  { mode: 'invalid', on: 'verify' },
];

const often = (weight: number, kind: RandomCall['kind']) => ({ weight, arbitrary: fc.constant(kind) });
export const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  kind: fc.oneof(
    often(80, 'pay'),
    often(40, 'repeat'),
    often(45, 'redeem'),
    often(5, 'redeem beside a payment'),
    often(10, 'unknown credit'),
    often(20, 'settle an open one'),
  ),
  which: fc.nat(1_000),
  endpoint: fc.nat(PAID_ENDPOINTS.length - 1),
  keyed: fc.boolean(),
  mode: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.constantFrom(...MODES)),
  valid: fc.nat(9).map((number) => number !== 0),
});

interface Made {
  payment: SignedPayment;
  endpoint: number;
}

/** Makes random calls over a few wallets, and remembers what the callers saw. */
export class RandomCalls {
  readonly tokens: string[] = [];
  readonly unforeseen: string[] = [];
  /** Nonces of payments that were answered as settled. */
  private readonly answered = new Set<string>();
  private readonly settledByHand = new Set<string>();
  /** Nonces of payments whose answer brought a credit. */
  private readonly broughtCredit = new Set<string>();
  private readonly made: Made[] = [];

  constructor(
    private readonly gateway: Gateway,
    private readonly buyers: readonly Buyer[],
  ) {}

  async make(call: RandomCall): Promise<void> {
    const reply = await this.send(call);
    if (reply && ![200, 400, 402, 502].includes(reply.status)) this.unforeseen.push(`${reply.status} ${reply.text}`);
  }

  private async send(call: RandomCall): Promise<Reply | null> {
    const endpoint = PAID_ENDPOINTS[call.endpoint];
    const { kind, which } = call;
    if (kind === 'unknown credit') return redeem(this.gateway, `hrc_${'A'.repeat(43)}`, { endpoint });
    if (kind === 'settle an open one') return this.settleOpen(which);
    if (kind === 'repeat') {
      const made = this.made[which % this.made.length];
      return made ? this.pay(made, { ...call, valid: true }) : null;
    }
    if (kind === 'pay') {
      if (call.mode) this.gateway.control({ ...call.mode, count: 1 });
      return this.pay(await this.sign(call), call);
    }
    const token = this.tokens[which % this.tokens.length];
    const made = kind === 'redeem' ? null : await this.sign(call);
    if (token === undefined) return null;
    const headers = { ...keyOf(call, token), ...(made && { 'x-payment': made.payment.header }) };
    const reply = await redeem(this.gateway, token, { endpoint, headers, body: bodyOf(call) });
    if (made) this.see(made.payment, reply);
    return reply;
  }

  private async sign({ which, endpoint }: RandomCall): Promise<Made> {
    const payment = await this.buyers[which % this.buyers.length]!.sign({ endpoint: PAID_ENDPOINTS[endpoint] });
    const made = { payment, endpoint };
    this.made.push(made);
    return made;
  }

  private async pay({ payment, endpoint }: Made, call: RandomCall): Promise<Reply> {
    const request = { endpoint: PAID_ENDPOINTS[endpoint], headers: keyOf(call, payment.nonce), body: bodyOf(call) };
    const reply = await this.gateway.pay(payment, request);
    this.see(payment, reply);
    return reply;
  }

  private async settleOpen(which: number): Promise<null> {
    const open = await this.gateway.query<{ nonce: string }>(
      `SELECT nonce FROM payments WHERE state IN ('settlement_pending', 'needs_reconciliation') AND payer = ANY ($1) ORDER BY id`,
      [this.buyers.map(({ wallet }) => wallet)],
    );
    const row = open[which % open.length];
    if (!row) return null;
    this.settledByHand.add(row.nonce);
    await settleInBackground(this.gateway, row.nonce);
    return null;
  }

  private see({ nonce }: SignedPayment, reply: Reply): void {
    if (reply.status !== 200 || reply.headers.get('idempotent-replayed') !== null) return;
    if (settlementResponseIn(reply.headers)?.['status'] === 'settled') this.answered.add(nonce);
    const rebate = rebateOf(reply);
    if (!rebate) return;
    this.broughtCredit.add(nonce);
    // The first request may have shown a key and lost its answer: without it a repeat gets the answer, and not the token.
    if (rebate.credit_token !== null) this.tokens.push(rebate.credit_token);
  }

  /** The rules of rebates and credits in a few lines: adds up the events of a wallet. @returns what breaks a rule */
  async play(balances: WalletBalances, events: readonly AnnouncedEvent[]): Promise<string[]> {
    const rows = await this.gateway.query<{ id: string; nonce: string }>('SELECT id, nonce FROM payments');
    const nonces = new Map(rows.map(({ id, nonce }) => [id, nonce]));
    const problems: string[] = [];
    const check = (holds: boolean, problem: string) => void (holds || problems.push(problem));
    const once = new Set<string>();
    /** The payment whose answer must have taken a credit: the next event says so. */
    let due: string | null = null;
    for (const [index, { seq, type, subject, payload }] of events.entries()) {
      check(seq === index + 1, `event ${seq} where ${index + 1} was due`);
      check(type === 'payment.settlement-pending' || !once.has(type + subject), `${type} of ${subject} twice`);
      once.add(type + subject);
      const { paymentId, ...data } = payload as unknown as PaymentSettled & CreditIssued & CreditRedeemed;
      check(due === null || (type === 'credit.issued' && due === paymentId), `${due} took no credit`);
      due = null;
      if (type === 'payment.settled') {
        balances.settledMicros += data.amountMicros;
        const reached = rebateTierAt(balances.settledMicros);
        const rebate = rebateMicros(data.amountMicros, reached);
        check(data.tier === reached.tier && data.rebateMicros === rebate, `${paymentId}: ${data.tier}, not ${rebate}`);
        balances.earnedMicros += rebate;
        balances.accruedMicros += rebate;
        const nonce = nonces.get(paymentId)!;
        const isDirect = this.answered.has(nonce) && !this.settledByHand.has(nonce);
        if (isDirect && balances.accruedMicros >= CREDIT_FACE_MICROS) due = paymentId;
      } else if (type === 'credit.issued') {
        check(this.broughtCredit.has(nonces.get(paymentId)!), `a credit for ${paymentId}, which no caller was given`);
        check(once.has(`payment.settled${paymentId}`), `a credit for ${paymentId}, which had not settled`);
        balances.issued += 1;
        balances.issuedMicros += data.faceMicros;
        balances.accruedMicros -= data.faceMicros;
      } else if (type === 'credit.redeemed') {
        check(data.changeMicros === CREDIT_FACE_MICROS - data.priceMicros, `change of ${data.changeMicros}`);
        balances.redeemed += 1;
        balances.changeMicros += data.changeMicros;
        balances.accruedMicros += data.changeMicros;
      }
    }
    check(due === null, `${due} took no credit`);
    return problems;
  }
}

function keyOf({ keyed }: RandomCall, key: string): Record<string, string> {
  return keyed ? { 'idempotency-key': key } : {};
}

function bodyOf({ valid }: RandomCall): object | undefined {
  return valid ? undefined : { habits: [] };
}
