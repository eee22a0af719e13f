import type { Client } from 'pg';

/** Everything that is made of events, and nothing that says how far they were read. */
export const SEEDED_TABLES = [
  ...['payments', 'credits'],
  ...['daily_totals', 'daily_payers', 'daily_payer_counts', 'wallet_last_days', 'payers_by_last_day'],
  ...['wallet_totals', 'wallet_months', 'tier_totals', 'credit_totals', 'credit_days', 'settlement_totals'],
] as const;

/** @throws Error with a sentence when the database is not one to fill */
export async function prepare(client: Client, { replace }: { replace: boolean }): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [SEEDED_TABLES],
  );
  if (tables.length > 0) {
    throw new Error(`The database lacks ${tables[0]!.name}: run the migrations of reporting first.`);
  }
  const { rows } = await client.query('SELECT FROM payments LIMIT 1');
  if (rows.length > 0 && !replace) throw new Error('The database holds payments; --replace empties it first.');
  await client.query(`TRUNCATE ${SEEDED_TABLES.join(', ')}`);
}

/** A partition for each month of these days. */
export async function addMonths(client: Client, from: string, until: string): Promise<void> {
  await client.query(
    `SELECT add_payments_month(month)
     FROM generate_series(date_trunc('month', $1::timestamp), $2::timestamp, interval '1 month') AS month`,
    [from, until],
  );
}
