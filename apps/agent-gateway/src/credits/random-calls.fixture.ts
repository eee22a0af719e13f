import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { ModeCommand } from '@evenkeel/facilitator';
import fc from 'fast-check';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import type { Gateway, Reply } from '../gateway.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { rebateOf, redeem, settleInBackground } from './credit.fixture';
import type { Seen } from './wallet-model.fixture';

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

const often = <Kind>(weight: number, kind: Kind) => ({ weight, arbitrary: fc.constant(kind) });
export const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  kind: fc.oneof(
    often(80, 'pay' as const),
    often(40, 'repeat' as const),
    often(45, 'redeem' as const),
    often(5, 'redeem beside a payment' as const),
    often(10, 'unknown credit' as const),
    often(20, 'settle an open one' as const),
  ),
  which: fc.nat(1_000),
  endpoint: fc.nat(PAID_ENDPOINTS.length - 1),
  keyed: fc.boolean(),
  mode: fc.nat(5).chain((number) => (number === 0 ? fc.constantFrom(...MODES) : fc.constant(null))),
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
  /** By nonce. */
  private readonly answered = new Set<string>();
  private readonly broughtCredit = new Set<string>();
  private readonly settledByHand = new Set<string>();
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
    switch (call.kind) {
      case 'pay':
        if (call.mode) this.gateway.facilitator.control({ ...call.mode, count: 1 });
        return this.pay(await this.sign(call), call);
      case 'repeat': {
        const made = this.made[call.which % this.made.length];
        return made ? this.pay(made, { ...call, valid: true }) : null;
      }
      case 'redeem':
      case 'redeem beside a payment': {
        const token = this.tokens[call.which % this.tokens.length];
        const made = call.kind === 'redeem' ? null : await this.sign(call);
        if (token === undefined) return null;
        const headers = { ...keyOf(call, token), ...(made && { 'x-payment': made.payment.header }) };
        const reply = await redeem(this.gateway, token, { endpoint, headers, body: bodyOf(call) });
        if (made) this.see(made.payment, reply);
        return reply;
      }
      case 'unknown credit':
        return redeem(this.gateway, `hrc_${'A'.repeat(43)}`, { endpoint });
      case 'settle an open one':
        await this.settleOpen(call.which);
        return null;
    }
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

  private async settleOpen(which: number): Promise<void> {
    const open = await this.gateway.ledger.dataSource.query<{ nonce: string }[]>(
      `SELECT nonce FROM payments WHERE state IN ('settlement_pending', 'needs_reconciliation') AND payer = ANY ($1) ORDER BY id`,
      [this.buyers.map(({ wallet }) => wallet)],
    );
    const row = open[which % open.length];
    if (!row) return;
    this.settledByHand.add(row.nonce);
    await settleInBackground(this.gateway, row.nonce);
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

  /** What callers saw, by payments: they know nonces, events name payments. */
  async seen(): Promise<Seen> {
    const rows = await this.gateway.ledger.dataSource.query<{ id: string; nonce: string }[]>(
      `SELECT id, nonce FROM payments WHERE payer = ANY ($1)`,
      [this.buyers.map(({ wallet }) => wallet)],
    );
    const idsOf = (has: (nonce: string) => boolean) =>
      new Set(rows.flatMap(({ id, nonce }) => (has(nonce) ? [id] : [])));
    return {
      answeredDirectly: idsOf((nonce) => this.answered.has(nonce) && !this.settledByHand.has(nonce)),
      broughtCredit: idsOf((nonce) => this.broughtCredit.has(nonce)),
    };
  }
}

function keyOf({ keyed }: RandomCall, key: string): Record<string, string> {
  return keyed ? { 'idempotency-key': key } : {};
}

function bodyOf({ valid }: RandomCall): object | undefined {
  return valid ? undefined : { habits: [] };
}
