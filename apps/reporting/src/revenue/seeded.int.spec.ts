import { audit } from '@evenkeel/ops/audit';
import { seed } from '@evenkeel/ops/seed';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { reportingDatabase } from '../projection/projection.fixture';

const business = { payments: 1_500, days: 40, wallets: 12, subscriptions: 200, until: '2026-02-10T09:30:00.000Z' };
const options = { ...business, seed: 3, replace: false };
const nothing = () => undefined;

let seeded: TestDatabase;
beforeAll(async () => {
  seeded = await reportingDatabase();
  await seed(seeded.url, options, nothing);
});
afterAll(() => seeded.drop());

async function rowsOf({ dataSource }: TestDatabase, table: string): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  return rows.map(({ row }) => row).sort();
}

it('seeded sums and movements are what the rows make, which are the same for the same options', async () => {
  expect(await audit(seeded.dataSource)).toEqual([]);
  await using again = await reportingDatabase();
  await seed(again.url, options, nothing);
  for (const table of ['payments', 'credits', 'subscription_versions', 'invoices']) {
    const rows = await rowsOf(seeded, table);
    expect(rows).not.toEqual([]);
    expect(await rowsOf(again, table)).toEqual(rows);
  }
  const [{ latest }] = await seeded.dataSource.query<[{ latest: Date }]>(
    `SELECT max(at) AS latest FROM (SELECT greatest(verified_at, settled_at, failed_at) AS at FROM payments
       UNION ALL SELECT greatest(issued_at, redeemed_at) FROM credits
       UNION ALL SELECT changed_at FROM subscription_versions UNION ALL SELECT paid_at FROM invoices
       UNION ALL SELECT occurred_at FROM invoice_adjustments) made`,
  );
  expect(latest.getTime()).toBeLessThan(Date.parse(options.until));
  expect(latest.toISOString()).toMatch(/^2026-02-10/);
});

it('seeded rows are not put among others', async () => {
  await expect(seed(seeded.url, options, nothing)).rejects.toThrow('--replace empties it first');
  const other = seeded.url.replace(/\/[^/]*$/, '/postgres');
  await expect(seed(other, options, nothing)).rejects.toThrow('run the migrations of reporting first');
});
