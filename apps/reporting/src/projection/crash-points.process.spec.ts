import { CONSUMER_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { LedgerStream } from '../revenue/ledger-stream.fixture';
import { aPayment } from '../revenue/story.fixture';
import { eventsOf, history, type PaymentStory } from './history.fixture';
import { expectPayments, reportingDatabase } from './projection.fixture';
import { aMonthOfSubscriptions, publishedOf } from './subscriptions/subscription-history.fixture';

jest.setTimeout(120_000);

const WALLETS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);

let database: TestDatabase;
let ledger: LedgerStream;
beforeAll(async () => {
  [database, ledger] = await Promise.all([reportingDatabase(), LedgerStream.open()]);
});
afterAll(async () => {
  await stopPrograms();
  await ledger.close();
  await database.drop();
});

const query = (sql: string) => database.dataSource.query<object[]>(sql);

/** @returns the worker, which ends itself at this point */
function startWorker(crashAt?: string): Program {
  return Program.service('apps/reporting/src/projection/worker-program.fixture.ts', {
    DATABASE_URL: database.url,
    LEDGER_URL: ledger.source.database.url,
    ...(crashAt !== undefined && { CRASH_AT: `reporting:${crashAt}` }),
  });
}

const published: PaymentStory[] = [];
const ofBilling = publishedOf(aMonthOfSubscriptions());
const share = ofBilling.length / CONSUMER_CRASH_POINTS.length;

it.each(CONSUMER_CRASH_POINTS.map((point, index) => [point, index] as const))(
  'killed at %s, it goes on after a restart, and every event of both streams counts once',
  async (point, index) => {
    const more = WALLETS.flatMap((wallet) => [
      aPayment({ wallet }),
      aPayment({ wallet, states: ['settlement_pending', 'settled'] }),
      aPayment({ wallet, states: ['settlement_failed'] }),
    ]);
    published.push(...more);
    const news = ofBilling.slice(index * share, (index + 1) * share);
    await ledger.publish([...eventsOf(history(...more)), ...news]);
    expect((await startWorker(point).exit).signal).toBe('SIGKILL');

    const worker = startWorker();
    await eventually(
      async () => {
        const rows = ['subscription_versions', 'invoices', 'invoice_adjustments'].map((table) =>
          query(`SELECT FROM ${table}`),
        );
        expect((await Promise.all(rows)).flat()).toHaveLength((index + 1) * share);
      },
      { withinMs: 60_000 },
    );
    await expectPayments(database.dataSource, history(...published));
    await worker.stop();
  },
);

it('all of billing is what the same events make without a fault', async () => {
  const standing = await query(
    `SELECT sum(active) AS active, sum(past_due) AS past_due, sum(trialing) AS trialing
     FROM (SELECT DISTINCT ON (user_id) * FROM subscription_versions ORDER BY user_id, version DESC) latest`,
  );
  expect(standing).toEqual([{ active: '1', past_due: '1', trialing: '1' }]);
  expect(await query(`SELECT sum(amount_micros) AS sum FROM invoices`)).toEqual([{ sum: '15980000' }]);
});
