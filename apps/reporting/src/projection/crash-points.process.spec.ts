import { CONSUMER_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { eventually } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { aPayment } from '../revenue/story.fixture';
import { eventsOf, history, type PaymentStory } from './history.fixture';
import { expectPayments } from './projection.fixture';
import { ReportingSite } from './reporting-site.fixture';
import { aMonthOfSubscriptions, publishedOf } from './subscriptions/subscription-history.fixture';

jest.setTimeout(120_000);

const WALLETS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);

let site: ReportingSite;
beforeAll(async () => {
  site = await ReportingSite.open();
});
afterAll(async () => {
  await stopPrograms();
  await site.close();
});

/** @returns the worker, which ends itself at this point */
function startWorker(crashAt?: string): Program {
  return Program.service('apps/reporting/src/projection/worker-program.fixture.ts', {
    DATABASE_URL: site.database.url,
    LEDGER_URL: site.ledger.database.url,
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
    await site.ledger.publish([...eventsOf(history(...more)), ...news]);
    expect((await startWorker(point).exit).signal).toBe('SIGKILL');

    const worker = startWorker();
    await eventually(
      async () => {
        const rows = ['subscription_versions', 'invoices', 'invoice_adjustments'].map((table) =>
          site.query(`SELECT FROM ${table}`),
        );
        expect((await Promise.all(rows)).flat()).toHaveLength((index + 1) * share);
      },
      { withinMs: 60_000 },
    );
    await expectPayments(site.database.dataSource, history(...published));
    await worker.stop();
  },
);

it('all of billing is what the same events make without a fault', async () => {
  const standing = await site.query(
    `SELECT sum(active) AS active, sum(past_due) AS past_due, sum(trialing) AS trialing
     FROM (SELECT DISTINCT ON (user_id) * FROM subscription_versions ORDER BY user_id, version DESC) latest`,
  );
  expect(standing).toEqual([{ active: '1', past_due: '1', trialing: '1' }]);
  expect(await site.query(`SELECT sum(amount_micros) AS sum FROM invoices`)).toEqual([{ sum: '15980000' }]);
});
