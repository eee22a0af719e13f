import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { ModeCommand } from '@evenkeel/facilitator';
import fc from 'fast-check';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import type { Gateway, Reply } from '../gateway.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { rebateOf, redeem, settleInBackground } from './credit.fixture';
import type { Seen } from './wallet-model.fixture';

/** Numbers select from what exists when the call is made. */
export type RandomCall =
  | { kind: 'pay'; wallet: number; endpoint: number; keyed: boolean; mode: ModeCommand | null; valid: boolean }
  | { kind: 'repeat'; which: number; keyed: boolean }
  | { kind: 'redeem'; which: number; endpoint: number; keyed: boolean; valid: boolean; withPayment: boolean }
  | { kind: 'unknown-credit'; endpoint: number }
  | { kind: 'settle-open'; which: number };

const MODES: ModeCommand[] = [
  { mode: 'refused' },
  { mode: 'refused', reason: 'unexpected_error' },
  { mode: 'reset', on: 'settle' },
  { mode: 'settled-but-answer-lost' },
  { mode: 'reverted' },
  { mode: 'invalid', on: 'verify' },
];

const which = fc.nat(1_000);
const endpoint = fc.nat(PAID_ENDPOINTS.length - 1);
const mostly = (often: boolean) => fc.nat(9).map((number) => (number === 0) !== often);
const mode = fc.constantFrom(...MODES);

export const randomCall: fc.Arbitrary<RandomCall> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      wallet: fc.nat(3),
      endpoint,
      keyed: fc.boolean(),
      mode: fc.nat(5).chain((number) => (number === 0 ? mode : fc.constant(null))),
      valid: mostly(true),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which, keyed: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      which,
      endpoint,
      keyed: fc.boolean(),
      valid: mostly(true),
      withPayment: mostly(false),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unknown-credit' as const), endpoint }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle-open' as const), which }) },
);

interface Made {
  payment: SignedPayment;
  endpoint: number;
  key: string;
}

const INVALID = { habits: [] };
const keyHeader = (keyed: boolean, key: string) => (keyed ? { 'idempotency-key': key } : undefined);

/** Makes random calls over four wallets, and remembers what the callers saw. */
export class RandomCalls {
  readonly tokens: string[] = [];
  /** By nonce. */
  private readonly answered = new Set<string>();
  private readonly broughtCredit = new Set<string>();
  private readonly settledByHand = new Set<string>();
  readonly unforeseen: string[] = [];
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
    switch (call.kind) {
      case 'pay': {
        if (call.mode) this.gateway.facilitator.control({ ...call.mode, count: 1 });
        const made = await this.sign(call.wallet, call.endpoint);
        return this.pay(made, { keyed: call.keyed, valid: call.valid });
      }
      case 'repeat': {
        const made = this.made[call.which % this.made.length];
        return made ? this.pay(made, { keyed: call.keyed, valid: true }) : null;
      }
      case 'redeem':
        return this.redeem(call);
      case 'unknown-credit':
        return redeem(this.gateway, `hrc_${'A'.repeat(43)}`, { endpoint: PAID_ENDPOINTS[call.endpoint] });
      case 'settle-open':
        return this.settleOpen(call.which);
    }
  }

  private async sign(wallet: number, endpoint: number): Promise<Made> {
    const payment = await this.buyers[wallet]!.sign({ endpoint: PAID_ENDPOINTS[endpoint] });
    const made = { payment, endpoint, key: payment.nonce };
    this.made.push(made);
    return made;
  }

  private async pay(made: Made, { keyed, valid }: { keyed: boolean; valid: boolean }): Promise<Reply> {
    const headers = keyHeader(keyed, made.key);
    const body = valid ? undefined : INVALID;
    const reply = await this.gateway.pay(made.payment, { endpoint: PAID_ENDPOINTS[made.endpoint], headers, body });
    this.see(made.payment, reply);
    return reply;
  }

  private async redeem({
    which,
    endpoint,
    keyed,
    valid,
    withPayment,
  }: RandomCall & { kind: 'redeem' }): Promise<Reply | null> {
    const token = this.tokens[which % this.tokens.length];
    if (token === undefined) return null;
    const made = withPayment ? await this.sign(which % this.buyers.length, endpoint) : null;
    const headers = { ...keyHeader(keyed, token), ...(made && { 'x-payment': made.payment.header }) };
    const body = valid ? undefined : INVALID;
    const reply = await redeem(this.gateway, token, { endpoint: PAID_ENDPOINTS[endpoint], headers, body });
    if (made) this.see(made.payment, reply);
    return reply;
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

  private async settleOpen(which: number): Promise<null> {
    const open = await this.gateway.ledger.dataSource.query<{ nonce: string }[]>(
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
}
