import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import type { SignedPayment } from '../buyer.fixture';
import { Facilitator } from '../facilitator/facilitator';
import type { SettleOutcome } from '../facilitator/read-answers';
import { aGateway, type Gateway, type GatewayOptions, startGateway } from '../gateway.fixture';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { checkAfter, CONFIRMED_MS, recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { settlementResponseIn } from './payment.fixture';

jest.setTimeout(90_000);

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const PENDING = { state: 'settlement_pending', transactionHash: null };
const REPLAY = 'idempotent-replayed';

const gateway = aGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand, audited: true });
/** Of a facilitator that listed version 1 alone, which looks at neither nonce nor balance. */
const versionOne: GatewayOptions = {
  besides: gateway,
  silentAtOnce: true,
  prepare: ({ control }) => control({ action: 'versions', versions: [1] }),
};
const first = aGateway(versionOne);
let error: jest.SpyInstance;
beforeEach(() => {
  gateway.control({ action: 'versions', versions: [1, 2] });
  gateway.clock.advanceMs(11_000); // the circuit breaker forgets the test before
  error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

const settlementsOf = ({ nonce }: SignedPayment) => gateway.facilitator.ledger(nonce).settlements;
const entriesOf = ({ nonce }: SignedPayment) => gateway.ledger.entriesOf(nonce);
const walletOf = ({ authorization }: SignedPayment) => gateway.ledger.wallet(authorization.from.toLowerCase());
const contradictions = () => gateway.app.get(GatewayMetrics).settleContradictions;
/** Nothing moves, and this is said about it. */
const says = (outcome: SettleOutcome) => jest.spyOn(gateway.app.get(Facilitator), 'settle').mockResolvedValue(outcome);

async function expectUnknown(payment: SignedPayment): Promise<void> {
  const { status, headers, body } = await gateway.pay(payment);
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '5']);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
  // A client that gets an offer signs and pays again.
  const offered = [headers.get('payment-required'), body.accepts, settlementResponseIn(headers)];
  expect(offered).toEqual([null, undefined, null]);
  expect(await entriesOf(payment)).toMatchObject({ served: false, calls: 0, answers: 0 });
  expect(await walletOf(payment)).toMatchObject({ settledMicros: 0 });
}

async function expectSettled(payment: SignedPayment, transaction: unknown = HASH): Promise<void> {
  const { status, headers } = await gateway.pay(payment);
  expect([status, settlementResponseIn(headers)]).toMatchObject([200, { status: 'settled', transaction }]);
  expect(await walletOf(payment)).toMatchObject({ settledMicros: 50_000, calls: 1 });
}

describe('a success', () => {
  it('of another payer or network is neither revenue nor answer, at settle and at a repeat; counted and alerted', async () => {
    const before = contradictions();
    says({ kind: 'contradictory', reason: null });
    const payment = await gateway.aBuyer().sign();
    for (const times of [1, 2]) {
      await expectUnknown(payment);
      expect(contradictions()).toBe(before + times);
      const { id: paymentId } = await gateway.ledger.payment(payment.nonce);
      const message = expect.stringContaining('another payer or network');
      expect(error).toHaveBeenLastCalledWith({ message, paymentId });
    }
    expect(await entriesOf(payment)).toMatchObject(PENDING);
    jest.restoreAllMocks();
    await expectSettled(payment);
    expect(settlementsOf(payment)).toHaveLength(1);
  });

  it('by a transfer that has paid another payment is no answer; its own one in that batch settles it', async () => {
    says({ kind: 'unclear', reason: 'unexpected_error', transactionHash: null });
    const [paid, inBatch, free] = await Promise.all([1, 2, 3].map(() => gateway.aBuyer().sign()));
    await expectUnknown(paid!);
    await expectUnknown(inBatch!);
    gateway.control({ action: 'batch', transfers: [paid!.authorization, inBatch!.authorization] });
    const hash = settlementsOf(paid!)[0]!.transaction;
    // The check of the other one comes later, as that of another worker would.
    await gateway.query(
      `UPDATE payment_checks SET next_at = next_at + interval '1 h' FROM payments WHERE id = payment_id AND nonce = $1`,
      [inBatch!.nonce],
    );
    await checkAfter(CONFIRMED_MS, paid!, gateway);
    expect(await entriesOf(paid!)).toMatchObject({ state: 'settled', transactionHash: hash });

    const before = contradictions();
    says({ kind: 'settled', transactionHash: hash });
    for (const payment of [free!, inBatch!]) {
      await expectUnknown(payment);
      expect(await entriesOf(payment)).toMatchObject(PENDING);
    }
    expect(contradictions()).toBe(before + 2);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('paid another') }));

    await checkAfter(3_600_000, inBatch!, gateway);
    await expectSettled(inBatch!, hash);
    expect(await walletOf(free!)).toMatchObject({ settledMicros: 0 });
  });

  it('without a hash keeps the known hash: in row, event, receipt and payment status', async () => {
    const hash = `0x${'5a'.repeat(32)}`;
    says({ kind: 'unclear', reason: 'settle_exact_node_failure', transactionHash: hash });
    const payment = await gateway.aBuyer().sign();
    await expectUnknown(payment);
    expect(await entriesOf(payment)).toMatchObject({ transactionHash: hash });

    says({ kind: 'settled', transactionHash: null });
    await expectSettled(payment, hash);
    expect(await entriesOf(payment)).toMatchObject({ state: 'settled', transactionHash: hash });
    expect((await gateway.ledger.events(payment.nonce)).at(-1)).toMatchObject({ transactionHash: hash, tier: 'base' });
    expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).text).toContain(hash);
    await expectSettled(payment, hash);
  });
});

it.each<[number, Gateway]>([
  [1, first],
  [2, gateway],
])('a facilitator of version %i gets requirements in it for buyers of either version', async (version, of) => {
  expect(of.app.get(Facilitator).requirementsVersion()).toBe(version);
  for (const [sent, network] of [
    [1, 'base'],
    [2, 'eip155:8453'],
  ] as const) {
    const payment = await of.aBuyer().sign({ version: sent });
    const { status, headers } = await of.pay(payment);
    expect([status, settlementResponseIn(headers)]).toMatchObject([200, { network, status: 'settled' }]);
    expect(await gateway.ledger.payment(payment.nonce)).toMatchObject({ v2Grade: version === 2 });
  }
});

it('an uncertain payment that a facilitator of version 1 has verified is never served', async () => {
  const payment = await first.aBuyer().sign();
  first.control({ mode: 'reset', on: 'settle', count: 1 });
  expect((await first.pay(payment)).body.error).toBe('settlement_unknown');
  expect(await entriesOf(payment)).toMatchObject({ state: 'settlement_pending', served: false });
  const again = await first.pay(payment);
  expect([again.status, again.headers.get(REPLAY)]).toEqual([200, null]);
  expect(first.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
});

describe('a settle that lasts longer than its request', () => {
  const settings = { FACILITATOR_SETTLE_TIMEOUT_MS: '10000', PAID_ANSWER_BUDGET_MS: '2000' };

  /**
   * A gateway in a hurry has 1.8 s to verify and 100 ms to record that it waits, so a busy machine may need other payments,
   * at most a dozen.
   */
  async function payWhileSlow(ms: number, expected: number, options: GatewayOptions = {}) {
    const hurried = await startGateway({ besides: gateway, silentAtOnce: true, settings, ...options });
    await hurried.pay(await hurried.aBuyer().sign()); // the first call of a process is the slowest
    for (let more = 12; ; more--) {
      const payment = await hurried.aBuyer().sign();
      hurried.control({ mode: 'slow', on: 'settle', ms, count: 1 });
      const reply = await hurried.pay(payment);
      if (reply.status === expected && (await entriesOf(payment))) return { hurried, payment, reply };
      expect(more).toBeGreaterThan(0);
    }
  }

  it('at a facilitator of version 1: 502, then settled in the background, and the repeat gets its answer', async () => {
    const { hurried, payment } = await payWhileSlow(2_200, 502, versionOne);
    await eventually(async () => expect(await entriesOf(payment)).toMatchObject({ state: 'settled', calls: 0 }));
    await hurried.close();
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get(REPLAY)]).toEqual([200, null]);
    expect(await entriesOf(payment)).toMatchObject({ served: true, calls: 1, answers: 1 });
    expect(await walletOf(payment)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 2 });
  });

  it('at one of version 2: 200 settlement_pending, then settled in the background, once', async () => {
    const { hurried, payment, reply } = await payWhileSlow(3_000, 200);
    expect(settlementResponseIn(reply.headers)).toMatchObject({ status: 'settlement_pending' });
    const events = ['payment.settlement-pending', 'payment.settled'];
    const settled = { state: 'settled', calls: 1, answers: 1, checked: false, events };
    await eventually(async () => expect(await entriesOf(payment)).toMatchObject(settled));
    await hurried.close();
    const again = await gateway.pay(payment);
    expect([again.text, again.headers.get(REPLAY)]).toEqual([reply.text, 'true']);
    expect(settlementResponseIn(again.headers)).toMatchObject({ status: 'settled', transaction: HASH });
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });

  it('and than its process may go on: the answer is recorded before the end', async () => {
    const { hurried, payment } = await payWhileSlow(2_200, 200);
    await hurried.close();
    expect(await entriesOf(payment)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  });
});
