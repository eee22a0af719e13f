import { eventually } from '@evenkeel/platform/testing';
import { noon, Reporting } from './reporting.fixture';
import { aPayment, publishedOf } from './story.fixture';

const reporting = Reporting.forSuite();

const READS = [
  ['summary', 'daily_totals'],
  ['endpoints', 'daily_totals'],
  ['timeseries', 'wallet_days'],
  ['payments', 'payments'],
  ['customers', 'wallet_totals'],
  ['customers?days=7', 'wallet_days'],
  ['summary?compare=previous&month=2026-01', 'payments'],
  ['timeseries?interval=hour&days=2', 'credits'],
  ['timeseries?interval=week', 'wallet_days'],
  ['reconciliation', 'payments'],
  ['cohorts', 'wallet_months'],
  ['credits', 'credits'],
  ['subscriptions', 'invoices'],
  ['statement?month=2026-01', 'invoice_adjustments'],
] as const;

it.each(READS)('%s ends with how fresh it is', async (read) => {
  await reporting.publish(...publishedOf([aPayment()]));
  await eventually(async () => {
    const { body } = await reporting.read(read);
    expect(Object.entries(body).slice(-2)).toEqual([
      ['as_of', noon.toISOString()],
      ['lag_seconds', 0],
    ]);
  });
});

const EXPORTS = [
  ['payments.csv', 'payments'],
  ['credits.csv', 'credits'],
  ['customers.csv', 'wallet_days'],
  ['statement.csv?month=2026-01', 'credits'],
  ['invoices.csv', 'invoice_adjustments'],
] as const;

it.each([...READS, ...EXPORTS])('%s is 503 while %s cannot be read', async (read, table) => {
  const { dataSource } = reporting.database;
  await dataSource.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
  const { status, body, headers } = await reporting.read(read);
  await dataSource.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  expect((await reporting.read(read)).status).toBe(200);
});

it('an answer of many statements, each of them slow, is not waited for', async () => {
  const { dataSource } = reporting.database;
  await dataSource.query('ALTER TABLE daily_totals RENAME TO elsewhere');
  await dataSource.query('CREATE VIEW daily_totals AS SELECT elsewhere.* FROM pg_sleep(1.5), elsewhere');
  const { status, body, headers } = await reporting.read('summary');
  // Of the statements that were left, at most the present one is still at work.
  await eventually(() => dataSource.query('DROP VIEW daily_totals'), { withinMs: 20_000 });
  await dataSource.query('ALTER TABLE elsewhere RENAME TO daily_totals');
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  expect((await reporting.read('summary')).status).toBe(200);
});
