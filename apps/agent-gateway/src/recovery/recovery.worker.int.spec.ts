import type { ModeCommand } from '@evenkeel/facilitator';
import { createLogger, NestPinoLogger } from '@evenkeel/platform/observability';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { startGateway, type Gateway } from '../gateway.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { forbidConnections } from '../ledger/outage.fixture';
import { RecoveryModule } from './recovery.module';
import { checkDue, recoveryByHand, untilPayment } from './resolve-uncertain.fixture';

let gateway: Gateway;
afterAll(() => gateway.close());

/**
 * A payment whose process died after the claim: not served, its settle perhaps never sent.
 * @param clockAheadMs of the replica that claimed it
 */
async function crashed(claimedMsAgo = 0, clockAheadMs = 0) {
  const payment = await gateway.aBuyer().sign();
  gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
  expect((await gateway.pay(payment)).status).toBe(502);
  const createdAt = new Date(gateway.clock.now().getTime() - claimedMsAgo + clockAheadMs);
  const { id } = await gateway.ledger.payment(payment.nonce);
  for (const table of ['payment_checks WHERE payment_id', 'outbox WHERE subject']) {
    await gateway.ledger.dataSource.query(`DELETE FROM ${table} = $1`, [id]);
  }
  // Last: from now on a worker may take it over, and what that writes must stay.
  await gateway.ledger.dataSource.query(
    `UPDATE payments SET state = 'settling', created_at = $2, claimed_at = clock_timestamp() - $3 * interval '1 ms'
     WHERE id = $1`,
    [id, createdAt, claimedMsAgo],
  );
  return payment;
}

describe('the worker', () => {
  const warnings: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void warnings.push(JSON.parse(line) as (typeof warnings)[number]) };

  beforeAll(async () => {
    gateway = await startGateway({ silentAtOnce: true, chain: true, modules: [RecoveryModule] });
    Logger.overrideLogger(new NestPinoLogger(createLogger('agent-gateway-worker', { level: 'warn', destination })));
  });

  async function payWith(mode: ModeCommand) {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ ...mode, count: 1 });
    return { nonce: payment.nonce, payment, status: (await gateway.pay(payment)).status };
  }

  it('does what is due in its round, and leaves the rest', async () => {
    const answered = await payWith({ mode: 'slow', ms: 0 });
    gateway.clock.advanceMs(3_594_000);
    const heldByTheLiving = await crashed(0);
    const held = await crashed(15_000);
    const served = await payWith({ mode: 'reset', on: 'settle' });
    const submitted = await payWith({ mode: 'submitted-after-verify' });
    expect([answered.status, served.status, submitted.status]).toEqual([200, 200, 502]);
    gateway.clock.advanceMs(6_000);

    // Settled again with the same bytes; found on the chain that the settings name; taken over after 15 s; erased.
    await untilPayment(gateway, served.nonce, { state: 'settled', served: true, checked: false });
    await untilPayment(gateway, submitted.nonce, { state: 'settled', served: false });
    const events = ['payment.settlement-pending'];
    await untilPayment(gateway, held.nonce, { state: 'settlement_pending', served: false, checked: true, events });
    await untilPayment(gateway, answered.nonce, { state: 'settled', served: true, calls: 1, answers: 0 });

    expect(await gateway.ledger.entriesOf(heldByTheLiving.nonce)).toMatchObject({ state: 'settling', checked: false });
    expect(await gateway.ledger.entriesOf(served.nonce)).toMatchObject({ answers: 1 });
    expect((await gateway.pay(held)).status).toBe(200);
  });

  it('goes on after its database was gone', async () => {
    const payment = await crashed();
    const { cut, repair } = await forbidConnections(gateway.database.url);
    const seen = warnings.length;
    await cut();
    const warned = expect.arrayContaining([expect.objectContaining({ context: 'background', duty: 'payment_checks' })]);
    await eventually(() => expect(warnings.slice(seen)).toEqual(warned)).finally(repair);
    await gateway.ledger.ageClaims(15_000); // due only now
    gateway.clock.advanceMs(15_000);
    await untilPayment(gateway, payment.nonce, { state: 'settlement_pending' });
  });
});

describe('two replicas', () => {
  let second: Gateway;
  beforeAll(async () => {
    await gateway.close();
    gateway = await startGateway({ silentAtOnce: true, modules: recoveryByHand });
    second = await startGateway({ silentAtOnce: true, besides: gateway, modules: recoveryByHand });
  });
  afterAll(() => second.close());

  it('look back once a minute for claims that a slow clock has dated in the past', async () => {
    const search = second.app.get(AbandonedPayments);
    await search.takeOverNext();
    await search.takeOverNext();
    const payment = await crashed(60_000);
    expect(await search.takeOverNext()).toBe(false);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settling' });
    gateway.clock.advanceMs(60_000);
    await search.takeOverNext();
    await search.takeOverNext();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settlement_pending' });
  });

  it.each([
    ['behind', -300_000],
    ['ahead', 300_000],
  ])(
    'take over by the time of the database what one whose clock is five minutes %s has claimed',
    async (_, aheadMs) => {
      const search = second.app.get(AbandonedPayments);
      const searchAll = async () => {
        gateway.clock.advanceMs(60_000);
        for (let round = 0; round < 3; round++) await search.takeOverNext();
      };
      await searchAll();
      const payment = await crashed(5_000, aheadMs);
      await searchAll();
      expect((await gateway.pay(payment)).status).toBe(429); // nor does its buyer's repeat
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settling' });
      await gateway.ledger.ageClaims(10_000);
      await searchAll();
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settlement_pending' });
    },
  );

  it('wait for a settle call as long as it may take', async () => {
    const patient = await startGateway({ besides: gateway, settings: { FACILITATOR_SETTLE_TIMEOUT_MS: '60000' } });
    const search = patient.app.get(AbandonedPayments);
    const payment = await crashed(55_000);
    for (let round = 0; round < 3; round++) await search.takeOverNext();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settling' });
    await gateway.ledger.ageClaims(10_000);
    gateway.clock.advanceMs(60_000);
    for (let round = 0; round < 3; round++) await search.takeOverNext();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settlement_pending' });
    await patient.close();
  });

  it('go through a large table stretch by stretch', async () => {
    await gateway.ledger.dataSource.query(
      `INSERT INTO payments
       SELECT gen_random_uuid(), 1, '0x', '0x' || repeat('a', 40), '0x' || lpad(to_hex(n), 64, '0'), '/', 1, '', '',
         NULL, NULL, '', '', 1, true, 'settlement_failed', false, NULL, NULL, '', 0, at, at, NULL, at
       FROM (SELECT n, $1::timestamptz + n * interval '1 ms' AS at FROM generate_series(1, 12000) n) AS many`,
      [new Date(0)],
    );
    const payment = await crashed(20_000);
    const search = gateway.app.get(AbandonedPayments);
    expect(await search.takeOverNext()).toBe(true);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settling' });
    expect(await search.takeOverNext()).toBe(false);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settlement_pending' });
  });

  it('settle a payment once when the buyer repeats it while the worker settles it again', async () => {
    for (let round = 0; round < 5; round++) {
      const buyer = gateway.aBuyer();
      gateway.facilitator.control({ mode: 'pending-then-success', count: 2, ms: 60_000 });
      const [open, payment] = [await buyer.sign(), await buyer.sign()];
      expect((await gateway.pay(open)).status).toBe(200);
      expect((await gateway.pay(payment)).status).toBe(502);
      gateway.clock.advanceMs(5_000);
      await Promise.all([gateway.pay(payment), checkDue(second), gateway.pay(payment), second.pay(payment)]);
      await untilPayment(gateway, payment.nonce, { state: 'settled' });
      await untilPayment(gateway, open.nonce, { state: 'settled' });
      expect((await gateway.pay(payment)).status).toBe(200);
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: true, calls: 1, answers: 1 });
      expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 100_000, calls: 2 });
      expect(gateway.facilitator.ledger(payment.nonce).settlements).toHaveLength(1);
    }
  });
});
