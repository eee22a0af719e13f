import {
  CreditIssued,
  CreditRedeemed,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
} from '@evenkeel/contracts';
import { seed } from '@evenkeel/ops/seed';
import type { TestDatabase } from '@evenkeel/platform/testing';
import type { DataSource } from 'typeorm';
import type { PublishedEvent } from '../projection/history.fixture';
import { reportingDatabase } from '../projection/projection.fixture';
import { Reporting } from './reporting.fixture';

const options = {
  payments: 1_500,
  days: 40,
  wallets: 12,
  subscriptions: 0,
  seed: 3,
  until: '2026-02-10',
  replace: false,
};
const nothing = () => undefined;
/** A counter that went back to 0 leaves its row: the view shows what counts. */
const TABLES = ['payments', 'credits', '(SELECT rollup, key, kept FROM audit.rollups)'];

let seeded: TestDatabase;
beforeAll(async () => {
  seeded = await reportingDatabase();
  await seed(seeded.url, options, nothing);
});
afterAll(() => seeded.drop());

/** Every row of a table as text, in any order. */
async function rowsOf(dataSource: DataSource, table: string): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  return rows.map(({ row }) => row).sort();
}

type Row = Record<string, string | boolean | null>;

/** The event that the gateway would have published for a seeded payment. */
function paymentEvent(row: Row): PublishedEvent {
  const common = {
    paymentId: row['id'],
    wallet: row['wallet'],
    endpoint: row['endpoint'],
    asset: row['asset'],
    amountMicros: Number(row['amount_micros']),
    chainId: Number(row['chain_id']),
    verifiedAt: row['verified_at'],
    requestId: row['request_id'],
    nonce: row['nonce'],
    attributedCostMicros: Number(row['attributed_cost_micros']),
  };
  const { transaction_hash: transactionHash, served, reason, status } = row;
  const key = String(row['wallet']);
  if (status === 'settled') {
    const { settled_at: settledAt, tier, rebate_micros } = row;
    const data = { ...common, transactionHash, settledAt, served, tier, rebateMicros: Number(rebate_micros) };
    return { type: PaymentSettled.type, key, data };
  }
  if (status === 'settlement_failed') {
    const data = { ...common, transactionHash, failedAt: row['failed_at'], served, reason };
    return { type: PaymentSettlementFailed.type, key, data };
  }
  return { type: PaymentSettlementPending.type, key, data: { ...common, state: status, served, reason } };
}

function creditEvents(row: Row): PublishedEvent[] {
  const key = String(row['wallet']);
  const credit = { creditId: row['id'], wallet: row['wallet'] };
  const issue = { paymentId: row['payment_id'], tier: row['tier'], issuedAt: row['issued_at'] };
  const issued = { ...credit, ...issue, faceMicros: Number(row['face_micros']) };
  const events = [{ type: CreditIssued.type, key, data: issued }];
  if (row['redeemed_at'] === null) return events;
  const call = { endpoint: row['endpoint'], redeemedAt: row['redeemed_at'], requestId: row['request_id'] };
  const money = {
    priceMicros: Number(row['price_micros']),
    changeMicros: Number(row['change_micros']),
    attributedCostMicros: Number(row['attributed_cost_micros']),
  };
  return [...events, { type: CreditRedeemed.type, key, data: { ...credit, ...call, ...money } }];
}

const jsonRows = async (dataSource: DataSource, table: string) => {
  const iso = `to_char(%I AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.replace('%I', 'at');
  const rows = await dataSource.query<{ row: Row }[]>(
    `SELECT (SELECT jsonb_object_agg(key, CASE WHEN key LIKE '%\\_at' AND value IS NOT NULL THEN
         (SELECT ${iso} FROM (SELECT value::timestamptz AS at) v) ELSE value END)
       FROM jsonb_each_text(to_jsonb(t))) AS row FROM ${table} t ORDER BY id`,
  );
  return rows.map(({ row }) => ({ ...row, served: row['served'] === 'true' }));
};

describe('seeded rows', () => {
  it('are those that the consumer makes of their events, rollups and all', async () => {
    const reporting = await Reporting.start();
    try {
      const payments = await jsonRows(seeded.dataSource, 'payments');
      const credits = await jsonRows(seeded.dataSource, 'credits');
      expect(payments).toHaveLength(options.payments);
      expect(credits.length).toBeGreaterThan(5);
      await reporting.publish(...payments.map(paymentEvent), ...credits.flatMap(creditEvents));
      for (const table of TABLES) {
        const rows = await rowsOf(seeded.dataSource, table);
        expect({ table, rows }).toEqual({ table, rows: await rowsOf(reporting.database.dataSource, table) });
        expect(rows.length).toBeGreaterThan(0);
      }
    } finally {
      await reporting.close();
    }
  });

  it('are the same for the same options, and others for another seed', async () => {
    await using again = await reportingDatabase();
    await seed(again.url, options, nothing);
    for (const table of TABLES)
      expect(await rowsOf(again.dataSource, table)).toEqual(await rowsOf(seeded.dataSource, table));
    await seed(again.url, { ...options, seed: 4, replace: true }, nothing);
    const payments = await rowsOf(again.dataSource, 'payments');
    expect(payments).toHaveLength(options.payments);
    expect(payments).not.toEqual(await rowsOf(seeded.dataSource, 'payments'));
  });

  it('end with the instant that they are made until, and what settled was served', async () => {
    await using young = await reportingDatabase();
    await seed(young.url, { ...options, subscriptions: 200, until: '2026-02-10T09:30:00.000Z' }, nothing);
    const [found] = await young.dataSource.query<
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

  it('are not put among others', async () => {
    await expect(seed(seeded.url, options, nothing)).rejects.toThrow('--replace empties it first');
    const { url } = seeded;
    const other = url.replace(/\/[^/]*$/, '/postgres');
    await expect(seed(other, options, nothing)).rejects.toThrow('run the migrations of reporting first');
  });
});
