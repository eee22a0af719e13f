import type { Client } from 'pg';
import { connect } from '../events/connect';
import { ADD_CREDITS, ADD_PAYMENTS, ADD_STATES } from './payment-rows';
import { ADD_SUBSCRIPTIONS } from './subscription-rows';

/** For a session: an id whose time is that of the row and whose rest is made of a key, the same for the same key. */
export const MADE_ID = `
  CREATE FUNCTION pg_temp.made_id(at timestamptz, VARIADIC key text[]) RETURNS uuid LANGUAGE sql IMMUTABLE
    RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' ||
      substr(md5(array_to_string(key, '/')), 1, 3) || '8' || substr(md5(array_to_string(key, '/')), 4, 15))::uuid`;

export const DAY_MS = 86_400_000;

/** A day as commands take it, `YYYY-MM-DD`. */
export const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

export interface SeedOptions {
  payments: number;
  /** UTC days over which they are spread, the last one included. */
  days: number;
  wallets: number;
  /** People who have or had one. */
  subscriptions: number;
  /** Equal options make equal rows. */
  seed: number;
  /** Last UTC day, `YYYY-MM-DD`, or the instant with which the last day breaks off. */
  until: string;
  /** Empty the database first; otherwise one with payments is refused. */
  replace: boolean;
}

/** Filled from the views that count them from the rows. */
const COUNTED_TABLES = ['daily_totals', 'wallet_days', 'wallet_totals'];

/** Everything that is made of events, and nothing that says how far they were read. */
const SEEDED_TABLES = [
  'payments',
  'payment_states',
  'credits',
  ...COUNTED_TABLES,
  'subscription_versions',
  'invoices',
  'invoice_adjustments',
];

/**
 * Fills a reporting database.
 * @param tell called with the name of each step before it begins
 * @throws Error with a sentence when the database is not one to fill
 */
export async function seed(url: string, options: SeedOptions, tell: (step: string) => void): Promise<void> {
  const { until, days, payments, wallets, subscriptions, seed: number } = options;
  const endMs = DAY.test(until) ? Date.parse(until) + DAY_MS : Date.parse(until);
  const firstMs = (Math.floor((endMs - 1) / DAY_MS) - days + 1) * DAY_MS;
  const [first, end] = [new Date(firstMs), new Date(endMs)];
  const client = await connect({ connectionString: url });
  const step = async (name: string, statement: string, values?: unknown[]): Promise<void> => {
    tell(name);
    await client.query(statement, values);
  };
  try {
    await refuseOthers(client, options.replace);
    await client.query(`TRUNCATE ${SEEDED_TABLES.join(', ')}`);
    // A seed that breaks off is begun again: there is nothing here worth a wait for the disk.
    await client.query('SET synchronous_commit = off');
    await client.query(MADE_ID);
    await client.query('SELECT setseed($1::float8 / 2147483648)', [number]);
    await client.query(
      `SELECT add_payments_month(month AT TIME ZONE 'UTC') FROM generate_series(
         date_trunc('month', $1::timestamptz AT TIME ZONE 'UTC'), $2::timestamptz AT TIME ZONE 'UTC', interval '1 month') AS month`,
      [first, end],
    );
    await step('payments', ADD_PAYMENTS, [first, end, payments, wallets, String(number)]);
    await client.query(ADD_STATES);
    await step('credits', ADD_CREDITS);
    await client.query('ANALYZE payments, credits');
    for (const table of COUNTED_TABLES) await step(table, `INSERT INTO ${table} SELECT * FROM audit.counted_${table}`);
    // A sequence of its own: the subscriptions of a seed are the same with any number of payments.
    await client.query('SELECT setseed($1::float8 / -2147483648)', [number]);
    await step('subscriptions', ADD_SUBSCRIPTIONS, [first, end, subscriptions, String(number)]);
    tell('vacuum');
    // Of wallet_months too, which triggers of wallet_days fill.
    // Rows whose commit is not on the disk yet are not marked as visible to all.
    await client.query('SET synchronous_commit = on');
    await client.query(`VACUUM (ANALYZE) ${SEEDED_TABLES.join(', ')}, wallet_months`);
  } finally {
    await client.end();
  }
}

async function refuseOthers(client: Client, isReplacing: boolean): Promise<void> {
  await refuseMissing(client, SEEDED_TABLES, 'reporting');
  const { rows } = await client.query('SELECT FROM payments LIMIT 1');
  if (rows.length > 0 && !isReplacing) throw new Error('The database holds payments; --replace empties it first.');
}

/** @throws Error with a sentence when the database lacks a table of the service */
export async function refuseMissing(client: Client, tables: readonly string[], service: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [tables],
  );
  if (rows.length > 0) {
    throw new Error(`The database lacks ${rows[0]!.name}: run the migrations of ${service} first.`);
  }
}
