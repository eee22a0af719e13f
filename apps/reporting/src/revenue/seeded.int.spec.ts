import { audit } from '@evenkeel/ops/audit';
import { seed } from '@evenkeel/ops/seed';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { reportingDatabase } from '../projection/projection.fixture';

const SUBSCRIPTIONS = 200;
const options = {
  payments: 1_500,
  days: 40,
  wallets: 12,
  subscriptions: SUBSCRIPTIONS,
  seed: 3,
  until: '2026-02-10T09:30:00.000Z',
  replace: false,
};
const nothing = () => undefined;

let seeded: TestDatabase;
beforeAll(async () => {
  seeded = await reportingDatabase();
  await seed(seeded.url, options, nothing);
});
afterAll(() => seeded.drop());

/** Every row of a table as text, in any order. */
async function rowsOf({ dataSource }: TestDatabase, table: string): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  return rows.map(({ row }) => row).sort();
}

it('seeded rollups and movements are what the rows make, as those of the consumers are', async () => {
  expect(await audit(seeded.dataSource)).toEqual([]);
  expect(await rowsOf(seeded, 'payments')).toHaveLength(options.payments);
  expect(await rowsOf(seeded, '(SELECT DISTINCT user_id FROM subscription_versions)')).toHaveLength(SUBSCRIPTIONS);
  for (const table of ['credits', 'invoices', 'audit.rollups', 'audit.subscription_rollups']) {
    expect(await rowsOf(seeded, table)).not.toEqual([]);
  }
});

it('seeded rows are the same for the same options, and others for another seed', async () => {
  await using again = await reportingDatabase();
  await seed(again.url, options, nothing);
  for (const table of ['payments', 'credits', 'subscription_versions', 'invoices']) {
    expect(await rowsOf(again, table)).toEqual(await rowsOf(seeded, table));
  }
  await seed(again.url, { ...options, seed: 4, replace: true }, nothing);
  const payments = await rowsOf(again, 'payments');
  expect(payments).toHaveLength(options.payments);
  expect(payments).not.toEqual(await rowsOf(seeded, 'payments'));
});

it('seeded rows end with the instant that they are made until, and what settled was served', async () => {
  const [found] = await seeded.dataSource.query<
    [{ latest: Date; first: Date; unserved: string; pending: Date | null }]
  >(
    `SELECT (SELECT max(at) FROM (
         SELECT greatest(verified_at, settled_at, failed_at) AS at FROM payments
         UNION ALL SELECT greatest(issued_at, redeemed_at) FROM credits
         UNION ALL SELECT changed_at FROM subscription_versions UNION ALL SELECT paid_at FROM invoices
         UNION ALL SELECT occurred_at FROM invoice_adjustments) made) AS latest,
       min(verified_at) AS first, count(*) FILTER (WHERE status = 'settled' AND NOT served) AS unserved,
       min(verified_at) FILTER (WHERE status = 'settlement_pending') AS pending FROM payments`,
  );
  expect(found.latest.getTime()).toBeLessThan(Date.parse('2026-02-10T09:30:00.000Z'));
  expect(found.latest.toISOString().slice(0, 10)).toBe('2026-02-10');
  expect([found.first.toISOString().slice(0, 10), found.unserved]).toEqual(['2026-01-02', '0']);
  expect(found.pending?.toISOString() ?? '2026-02-10T09:20').toMatch(/^2026-02-10T09:[23]/);
});

it('seeded rows are not put among others', async () => {
  await expect(seed(seeded.url, options, nothing)).rejects.toThrow('--replace empties it first');
  const other = seeded.url.replace(/\/[^/]*$/, '/postgres');
  await expect(seed(other, options, nothing)).rejects.toThrow('run the migrations of reporting first');
});
