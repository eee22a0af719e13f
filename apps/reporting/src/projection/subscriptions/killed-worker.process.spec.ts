import { audit } from '@evenkeel/ops/audit';
import {
  InvoiceAdjusted,
  InvoicePaid,
  PAYMENTS_STREAM,
  SubscriptionChanged,
  SUBSCRIPTIONS_STREAM,
} from '@evenkeel/contracts';
import { CONSUMER_CRASH_POINTS, InProcessBroker } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { EventSource } from '@evenkeel/platform/testing/service';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { reportingDatabase } from '../projection.fixture';
import { aMonthOfSubscriptions, publishedOf } from './subscription-history.fixture';

jest.setTimeout(120_000);

const CLASSES = [SubscriptionChanged, InvoicePaid, InvoiceAdjusted];
const silent = { warn: () => undefined, error: () => undefined };

let database: TestDatabase;
let broker: InProcessBroker;
let ledger: EventSource;
let billing: EventSource;
beforeAll(async () => {
  database = await reportingDatabase();
  broker = new InProcessBroker(silent);
  ledger = await EventSource.open(broker, { stream: PAYMENTS_STREAM, source: '/agent-gateway' });
  billing = await EventSource.open(broker, { stream: SUBSCRIPTIONS_STREAM, source: '/billing' });
});
afterAll(async () => {
  await stopPrograms();
  await Promise.all([ledger.close(), billing.close()]);
  await broker.close();
  await database.drop();
});

function startWorker(crashAt?: string): Program {
  return Program.service('apps/reporting/src/projection/worker-program.fixture.ts', {
    ...{ DATABASE_URL: database.url, LEDGER_URL: ledger.database.url, BILLING_URL: billing.database.url },
    ...(crashAt !== undefined && { CRASH_AT: `reporting:${crashAt}` }),
  });
}

const count = async (sql: string) => Number((await database.dataSource.query<[{ count: string }]>(sql))[0].count);

const events = publishedOf(aMonthOfSubscriptions());
const share = events.length / CONSUMER_CRASH_POINTS.length;

it.each(CONSUMER_CRASH_POINTS.map((point, index) => [point, index] as const))(
  'killed at %s, it goes on after a restart, and every event of billing counts once',
  async (point, index) => {
    const told = events.slice(index * share, (index + 1) * share);
    await billing.publish(
      ...told.map(({ type, key, data }) => ({ event: CLASSES.find((known) => known.type === type)!, key, data })),
    );
    expect((await startWorker(point).exit).signal).toBe('SIGKILL');
    const worker = startWorker();
    const applied = `SELECT applied AS count FROM progress WHERE subscription = 'reporting.subscriptions'`;
    const all = (index + 1) * share;
    await eventually(async () => expect(await count(applied)).toBe(all), { withinMs: 60_000 });
    await worker.stop();
    const stored = ['subscription_versions', 'invoices', 'invoice_adjustments'].map((table) =>
      count(`SELECT count(*) FROM ${table}`),
    );
    expect((await Promise.all(stored)).reduce((sum, rows) => sum + rows, 0)).toBe(all);
    expect(await audit(database.dataSource)).toEqual([]);
  },
);

it('all of it is what the same events come to without a fault', async () => {
  const [standing] = await database.dataSource.query<object[]>(
    `SELECT sum(active) AS active, sum(past_due) AS past_due, sum(trialing) AS trialing
     FROM (SELECT DISTINCT ON (user_id) * FROM subscription_versions ORDER BY user_id, version DESC) latest`,
  );
  expect(standing).toEqual({ active: '1', past_due: '1', trialing: '1' });
  expect(await count(`SELECT sum(amount_micros) AS count FROM invoices`)).toBe(15_980_000);
});
