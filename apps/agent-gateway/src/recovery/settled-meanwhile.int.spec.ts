import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { checkDue, recoveryByHand } from './resolve-uncertain.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ chain: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());

/** What `RecordUncertain` does, held open: the settlement of the payment has to wait for it. */
async function writeUncertain(nonce: string) {
  const { id, payer } = await gateway.ledger.payment(nonce);
  const uncertain = gateway.ledger.dataSource.createQueryRunner();
  await uncertain.startTransaction();
  await uncertain.query(`UPDATE payments SET state = 'settlement_pending' WHERE id = $1`, [id]);
  await uncertain.query(`INSERT INTO payment_checks (payment_id, payer, next_at) VALUES ($1, $2, $3)`, [
    id,
    payer,
    gateway.clock.now(),
  ]);
  return async () => {
    await uncertain.commitTransaction();
    await uncertain.release();
  };
}

/** It waits in short attempts, each of which sees what was committed before it; resolves in one that has just begun. */
async function untilSettlementWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND clock_timestamp() - query_start < interval '100 ms'`;
  await eventually(async () => (await gateway.ledger.dataSource.query<unknown[]>(waiting)).length === 1);
}

it('a payment that settles while it becomes uncertain is not checked for ever', async () => {
  const payment = await gateway.aBuyer().sign();
  gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 2_000, count: 1 });
  const paying = gateway.pay(payment);
  await eventually(() => gateway.ledger.payment(payment.nonce));
  const commit = await writeUncertain(payment.nonce);
  await untilSettlementWaits();
  await commit();
  expect((await paying).status).toBe(200);

  expect(await checkDue(gateway)).toEqual([payment.nonce]);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({
    state: 'settled',
    served: true,
    checked: false,
    events: ['payment.settled'],
  });
});
