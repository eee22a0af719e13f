import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { type DocumentedAnswer, UNCERTAIN_ANSWERS } from '../facilitator/documented-answers.fixture';
import { ScriptedFacilitator } from '../facilitator/stub-facilitator.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { checkDue, recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { settlementResponseIn } from './payment.fixture';

/** Three blocks of the chain: earlier transfers are confirmed. */
const CONFIRMED_MS = 6_000;
const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const stranger = '0x00000000000000000000000000000000000000A1';

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
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => {
  scripted.isFaithful();
  jest.restoreAllMocks();
});

const settlementsOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements;

async function expectUnknown({ status, headers, body }: Reply, nonce: string, retryAfter: unknown): Promise<void> {
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', retryAfter]);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
  // A client that gets an offer signs and pays again.
  expect([headers.get('payment-required'), body.accepts, settlementResponseIn(headers)]).toEqual([
    null,
    undefined,
    null,
  ]);
  expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ served: false, calls: 0, answers: 0 });
}

/** Lets time pass until after the next check of this payment. */
async function checkAfter(ms: number, nonce: string): Promise<void> {
  gateway.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(gateway)).toContain(nonce));
}

describe('money that moves before the facilitator refuses is charged once', () => {
  const titles = UNCERTAIN_ANSWERS.map((answer): [string, DocumentedAnswer] => [
    `${answer.status} ${answer.errorReason?.split(' ')[0] ?? 'without a reason'}${answer.namesTransaction ? ', with a hash' : ''}`,
    answer,
  ]);

  it.each(titles)('%s', async (_, { status, errorReason, errorMessage, namesTransaction }) => {
    scripted.settlesBut(({ body: { transaction, payer, network } }) => ({
      status,
      body: {
        success: false,
        errorReason,
        errorMessage,
        payer,
        network,
        transaction: (namesTransaction && transaction) || '',
      },
    }));
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    await expectUnknown(await gateway.pay(payment), payment.nonce, '5');
    await expectUnknown(await gateway.pay(payment), payment.nonce, expect.stringMatching(/^(5|600)$/));
    const { state } = (await gateway.ledger.entriesOf(payment.nonce))!;
    expect(['settlement_pending', 'needs_reconciliation']).toContain(state);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 0 });
    expect(settlementsOf(payment.nonce)).toHaveLength(1);

    await checkAfter(CONFIRMED_MS, payment.nonce);
    const answered = await gateway.pay(payment);
    expect([answered.status, settlementResponseIn(answered.headers)]).toEqual([
      200,
      expect.objectContaining({ status: 'settled', transaction: settlementsOf(payment.nonce)[0]!.transaction }),
    ]);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1 });
    expect(settlementsOf(payment.nonce)).toHaveLength(1);
  });
});

describe('a success that names another', () => {
  const claims: [string, object][] = [
    ['payer', { payer: stranger, network: 'base' }],
    ['network', { network: 'eip155:1' }],
  ];
  const contradictions = () => gateway.app.get(GatewayMetrics).settleContradictions;
  const claiming = (named: object) =>
    scripted.onlySays(200, { success: true, transaction: `0x${'1f'.repeat(32)}`, ...named });

  it.each(claims)(
    '%s is no revenue and no answer, at the first settle and at a repeat; counted and alerted',
    async (_, named) => {
      const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
      const before = contradictions();
      claiming(named);
      const buyer = gateway.aBuyer();
      const payment = await buyer.sign();
      for (const times of [1, 2]) {
        await expectUnknown(await gateway.pay(payment), payment.nonce, '5');
        expect(contradictions()).toBe(before + times);
        const { id: paymentId } = await gateway.ledger.payment(payment.nonce);
        expect(error).toHaveBeenLastCalledWith({
          message: expect.stringContaining('another payer or network'),
          paymentId,
        });
      }
      const recorded = { state: 'settlement_pending', transactionHash: null };
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject(recorded);
      expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 0 });

      scripted.isFaithful();
      const answered = await gateway.pay(payment);
      expect([answered.status, settlementResponseIn(answered.headers)]).toMatchObject([
        200,
        { status: 'settled', transaction: HASH },
      ]);
      expect(settlementsOf(payment.nonce)).toHaveLength(1);
      expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1 });
    },
  );

  it('transfer, which is known to have paid another payment, is no answer; one of its own in that batch settles it', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const uncertain = async (buyer = gateway.aBuyer()) => {
      scripted.onlySays(200, { success: false, errorReason: 'unexpected_error', transaction: '' });
      const payment = await buyer.sign();
      expect((await gateway.pay(payment)).status).toBe(502);
      return payment;
    };
    const paid = await uncertain();
    const buyer = gateway.aBuyer();
    const inBatch = await uncertain(buyer);
    const transfers = [paid.authorization, inBatch.authorization];
    gateway.facilitator.control({ action: 'batch', transfers });
    const hash = settlementsOf(paid.nonce)[0]!.transaction;
    // The check of the other one comes later, as that of another worker would.
    await gateway.ledger.dataSource.query(
      `UPDATE payment_checks SET next_at = next_at + interval '1 h' FROM payments WHERE id = payment_id AND nonce = $1`,
      [inBatch.nonce],
    );
    await checkAfter(CONFIRMED_MS, paid.nonce);
    expect(await gateway.ledger.entriesOf(paid.nonce)).toMatchObject({ state: 'settled', transactionHash: hash });

    const before = contradictions();
    scripted.onlySays(200, { success: true, transaction: hash, network: 'base' });
    const free = await gateway.aBuyer().sign();
    for (const payment of [free, inBatch]) {
      await expectUnknown(await gateway.pay(payment), payment.nonce, '5');
      const open = { state: 'settlement_pending', transactionHash: null };
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject(open);
    }
    expect(contradictions()).toBe(before + 2);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('paid another') }));

    await checkAfter(3_600_000, inBatch.nonce);
    const settled = { state: 'settled', transactionHash: hash };
    expect(await gateway.ledger.entriesOf(inBatch.nonce)).toMatchObject(settled);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1 });
    expect(await gateway.ledger.wallet(free.authorization.from.toLowerCase())).toMatchObject({ settledMicros: 0 });
  });

  it('is no revenue when the worker settles again; a success of this payment is', async () => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    scripted.onlySays(202, { success: false, errorReason: 'settlement_pending', transaction: '' });
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    expect((await gateway.pay(payment)).status).toBe(200);

    const before = contradictions();
    claiming({ payer: stranger });
    await checkAfter(CONFIRMED_MS, payment.nonce);
    await eventually(async () => expect(contradictions()).toBe(before + 1));
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 0 });

    scripted.isFaithful();
    await checkAfter(20_000, payment.nonce);
    await eventually(async () =>
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', transactionHash: HASH }),
    );
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1 });
  });

  it.each<[string, object]>([
    ['in other letters', { network: 'eip155:8453' }],
    ['not at all', { payer: undefined, network: undefined }],
  ])('who names payer and network %s settles', async (_, named) => {
    scripted.settlesBut(({ status, body }) => {
      const payer = (body['payer'] as string).toLowerCase();
      return { status, body: { ...body, payer, ...named } };
    });
    expect((await gateway.pay(await gateway.aBuyer().sign())).status).toBe(200);
  });
});

it('a success without a hash keeps the known hash', async () => {
  const hash = `0x${'5a'.repeat(32)}`;
  scripted.onlySays(200, { success: false, errorReason: 'settle_exact_node_failure', transaction: hash });
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(502);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ transactionHash: hash });

  scripted.onlySays(200, { success: true, transaction: '' });
  const { status, headers } = await gateway.pay(payment);
  expect([status, settlementResponseIn(headers)?.['transaction']]).toEqual([200, hash]);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', transactionHash: hash });
  expect((await gateway.ledger.events(payment.nonce)).at(-1)).toMatchObject({ transactionHash: hash, tier: 'base' });
  expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).text).toContain(hash);
  expect(settlementResponseIn((await gateway.pay(payment)).headers)).toMatchObject({
    status: 'settled',
    transaction: hash,
  });
});

it('the audit finds nothing', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});
