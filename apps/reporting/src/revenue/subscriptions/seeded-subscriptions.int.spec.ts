import type { InvoiceAdjusted, InvoicePaid, SubscriptionChanged } from '@evenkeel/contracts';
import { seed } from '@evenkeel/ops/seed';
import type { TestDatabase } from '@evenkeel/platform/testing';
import type { DataSource } from 'typeorm';
import { reportingDatabase } from '../../projection/projection.fixture';
import { aChange, publishedOf } from '../../projection/subscriptions/subscription-history.fixture';
import { Reporting } from '../reporting.fixture';
import { BillingStream } from './billing-stream.fixture';

const options = { payments: 1, days: 300, wallets: 10, seed: 5, until: '2026-02-10', replace: false };
const SUBSCRIPTIONS = 300;

let seeded: TestDatabase;
beforeAll(async () => {
  seeded = await reportingDatabase();
  await seed(seeded.url, { ...options, subscriptions: SUBSCRIPTIONS }, () => undefined);
}, 60_000);
afterAll(() => seeded.drop());

/** A counter that went back to 0 leaves its row: the view shows what counts. */
const TABLES = [
  'subscription_versions',
  'invoices',
  'invoice_adjustments',
  '(SELECT rollup, key, kept FROM audit.subscription_rollups)',
];

async function rowsOf(dataSource: DataSource, table: string): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  return rows.map(({ row }) => row).sort();
}

interface VersionRow extends Record<'active' | 'past_due' | 'trialing' | 'scheduled_to_cancel', number> {
  user_id: string;
  version: number;
  changed_at: Date;
  plans: Record<string, number>;
  granted: boolean;
}

/** The event that billing would have published for a seeded version. */
function changeOf({ user_id, version, changed_at, plans, granted, ...counts }: VersionRow): SubscriptionChanged {
  const [planCode] = Object.keys(plans);
  const status = counts.active ? 'ACTIVE' : counts.past_due ? 'PAST_DUE' : 'TRIALING';
  const price =
    planCode === 'premium_yearly'
      ? ({ interval: 'year', recurringMicros: 59_990_000 } as const)
      : ({ interval: 'month', recurringMicros: 7_990_000 } as const);
  const cancelAt = counts.scheduled_to_cancel ? '2026-12-31T00:00:00.000Z' : null;
  const grants = granted ? [{ id: '0194d0c2-3d4e-7f50-8a1b-000000000001', until: null }] : [];
  const live = planCode === undefined ? [] : [{ planCode, status, cancelAt, ...price } as const];
  return aChange(user_id, version, changed_at.toISOString(), live, grants);
}

it('seeded rows are those that the consumer makes of their events, rollups and all', async () => {
  const { dataSource } = seeded;
  const versions = await dataSource.query<VersionRow[]>(
    `SELECT *, granted_until = 'infinity' AS granted FROM subscription_versions ORDER BY user_id, version`,
  );
  const invoices = await dataSource.query<InvoicePaid[]>(
    `SELECT id AS "invoiceId", user_id AS "userId", subscription_id AS "subscriptionId", plan_code AS "planCode",
       amount_micros::float8 AS "amountMicros", tax_micros::float8 AS "taxMicros", reason, period_start AS "periodStart",
       period_end AS "periodEnd", paid_at AS "paidAt" FROM invoices`,
  );
  const adjustments = await dataSource.query<InvoiceAdjusted[]>(
    `SELECT id AS "adjustmentId", kind, user_id AS "userId", invoice_id AS "invoiceId",
       amount_micros::float8 AS "amountMicros", occurred_at AS "occurredAt" FROM invoice_adjustments`,
  );
  expect(new Set(versions.map(({ user_id }) => user_id)).size).toBe(SUBSCRIPTIONS);
  const reporting = await Reporting.start();
  const billing = await BillingStream.open(reporting);
  try {
    await billing.publish(...publishedOf({ changes: versions.map(changeOf), invoices, adjustments }));
    for (const table of TABLES) {
      const rows = await rowsOf(dataSource, table);
      expect({ table, rows }).toEqual({ table, rows: await rowsOf(reporting.database.dataSource, table) });
      expect(rows.length).toBeGreaterThan(0);
    }
  } finally {
    await reporting.close();
    await billing.close();
  }
}, 60_000);
