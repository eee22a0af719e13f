import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import type { SignedPayment } from '../buyer.fixture';
import { UNCERTAIN_ANSWERS } from '../facilitator/documented-answers.fixture';
import { ScriptedFacilitator } from '../facilitator/stub-facilitator.fixture';
import { type Gateway, startGateway } from '../gateway.fixture';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { checkDue, CONFIRMED_MS, recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { settlementResponseIn } from './payment.fixture';

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const stranger = '0x00000000000000000000000000000000000000A1';
const PENDING = { state: 'settlement_pending', transactionHash: null };

const scripted = new ScriptedFacilitator();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: { FACILITATOR_URL: await scripted.start() },
    chain: true,
    modules: recoveryByHand,
    prepare: ({ url }) => scripted.inFrontOf(url),
  });
});
afterAll(async () => {
  await gateway.close();
  await scripted.close();
});
let error: jest.SpyInstance;
beforeEach(() => {
  gateway.clock.advanceMs(11_000); // the circuit breaker forgets the test before
  error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
});
afterEach(() => {
  scripted.isFaithful();
  jest.restoreAllMocks();
});

const settlementsOf = ({ nonce }: SignedPayment) => gateway.facilitator.ledger(nonce).settlements;
const entriesOf = ({ nonce }: SignedPayment) => gateway.ledger.entriesOf(nonce);
const walletOf = ({ authorization }: SignedPayment) => gateway.ledger.wallet(authorization.from.toLowerCase());
const contradictions = () => gateway.app.get(GatewayMetrics).settleContradictions;
const failing = (errorReason: string, transaction = '') =>
  scripted.onlySays(200, { success: false, errorReason, transaction });
const claiming = (named: object) =>
  scripted.onlySays(200, { success: true, transaction: `0x${'1f'.repeat(32)}`, ...named });

async function expectUnknown(payment: SignedPayment, retryAfter: unknown = '5'): Promise<void> {
  const { status, headers, body } = await gateway.pay(payment);
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', retryAfter]);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
  // A client that gets an offer signs and pays again.
  expect([headers.get('payment-required'), body.accepts, settlementResponseIn(headers)]).toEqual([
    null,
    undefined,
    null,
  ]);
  expect(await entriesOf(payment)).toMatchObject({ served: false, calls: 0, answers: 0 });
  expect(await walletOf(payment)).toMatchObject({ settledMicros: 0 });
}

async function expectSettled(payment: SignedPayment, transaction: unknown = HASH): Promise<void> {
  const { status, headers } = await gateway.pay(payment);
  expect([status, settlementResponseIn(headers)]).toMatchObject([200, { status: 'settled', transaction }]);
  expect(await walletOf(payment)).toMatchObject({ settledMicros: 50_000, calls: 1 });
}

/** Lets time pass until after the next check of this payment. */
async function checkAfter(ms: number, { nonce }: SignedPayment): Promise<void> {
  gateway.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(gateway)).toContain(nonce));
}

it.each(UNCERTAIN_ANSWERS)(
  'money that moves before settle answers %i %s is charged once (%s) %s',
  async (...[status, errorReason, , hash]) => {
    scripted.settlesBut(({ body: { transaction, payer, network } }) => ({
      status,
      body: {
        success: false,
        ...(errorReason && { errorReason }),
        payer,
        network,
        transaction: hash ? transaction : '',
      },
    }));
    const payment = await gateway.aBuyer().sign();
    await expectUnknown(payment);
    await expectUnknown(payment, expect.stringMatching(/^(5|600)$/));
    expect(['settlement_pending', 'needs_reconciliation']).toContain((await entriesOf(payment))!.state);

    await checkAfter(CONFIRMED_MS, payment);
    await expectSettled(payment, settlementsOf(payment)[0]!.transaction);
    expect(settlementsOf(payment)).toHaveLength(1);
  },
);

describe('a success that names another', () => {
  it.each<[string, object]>([
    ['payer', { payer: stranger, network: 'base' }],
    ['network', { network: 'eip155:1' }],
  ])('%s is neither revenue nor answer, at the first settle and at a repeat; counted and alerted', async (_, named) => {
    const before = contradictions();
    claiming(named);
    const payment = await gateway.aBuyer().sign();
    for (const times of [1, 2]) {
      await expectUnknown(payment);
      expect(contradictions()).toBe(before + times);
      const { id: paymentId } = await gateway.ledger.payment(payment.nonce);
      const message = expect.stringContaining('another payer or network');
      expect(error).toHaveBeenLastCalledWith({ message, paymentId });
    }
    expect(await entriesOf(payment)).toMatchObject(PENDING);
    scripted.isFaithful();
    await expectSettled(payment);
    expect(settlementsOf(payment)).toHaveLength(1);
  });

  it('transfer, which is known to have paid another payment, is no answer; one of its own in that batch settles it', async () => {
    failing('unexpected_error');
    const [paid, inBatch, free] = await Promise.all([1, 2, 3].map(() => gateway.aBuyer().sign()));
    await expectUnknown(paid!);
    await expectUnknown(inBatch!);
    gateway.facilitator.control({ action: 'batch', transfers: [paid!.authorization, inBatch!.authorization] });
    const hash = settlementsOf(paid!)[0]!.transaction;
    // The check of the other one comes later, as that of another worker would.
    await gateway.ledger.dataSource.query(
      `UPDATE payment_checks SET next_at = next_at + interval '1 h' FROM payments WHERE id = payment_id AND nonce = $1`,
      [inBatch!.nonce],
    );
    await checkAfter(CONFIRMED_MS, paid!);
    expect(await entriesOf(paid!)).toMatchObject({ state: 'settled', transactionHash: hash });

    const before = contradictions();
    scripted.onlySays(200, { success: true, transaction: hash, network: 'base' });
    for (const payment of [free!, inBatch!]) {
      await expectUnknown(payment);
      expect(await entriesOf(payment)).toMatchObject(PENDING);
    }
    expect(contradictions()).toBe(before + 2);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('paid another') }));

    await checkAfter(3_600_000, inBatch!);
    await expectSettled(inBatch!, hash);
    expect(await walletOf(free!)).toMatchObject({ settledMicros: 0 });
  });
});

it('a success without a hash keeps the known hash: in row, event, receipt and payment status', async () => {
  const hash = `0x${'5a'.repeat(32)}`;
  failing('settle_exact_node_failure', hash);
  const payment = await gateway.aBuyer().sign();
  await expectUnknown(payment);
  expect(await entriesOf(payment)).toMatchObject({ transactionHash: hash });

  scripted.onlySays(200, { success: true, transaction: '' });
  await expectSettled(payment, hash);
  expect(await entriesOf(payment)).toMatchObject({ state: 'settled', transactionHash: hash });
  expect((await gateway.ledger.events(payment.nonce)).at(-1)).toMatchObject({ transactionHash: hash, tier: 'base' });
  expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).text).toContain(hash);
  await expectSettled(payment, hash);
});

it('the audit finds nothing', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});
