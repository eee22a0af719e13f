import { createHash } from 'node:crypto';
import { CHAINS, CREDIT_FACE_MICROS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Random } from '@evenkeel/kernel/random';
import { Client } from 'pg';
import { Business } from './business';
import { type Cells, CopyTable, type MadeCredit, type MadePayment, busyDays } from './copy-table';
import { endOf, type SeedOptions } from './seed-options';
import { SUBSCRIPTION_TABLES, seedSubscriptions } from './seed-subscriptions';

const [{ chainId, usdc }] = CHAINS as [(typeof CHAINS)[number]];
const ASSET = usdc.address.toLowerCase();
const instant = (ms: number): string => new Date(ms).toISOString();

const PAYMENT_COLUMNS =
  'id, nonce, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status, verified_at, settled_at, failed_at, ' +
  'served, reason, tier, rebate_micros, attributed_cost_micros, request_id';

const CREDIT_COLUMNS =
  'id, wallet, face_micros, payment_id, tier, issued_at, endpoint, price_micros, change_micros, attributed_cost_micros, ' +
  'redeemed_at, request_id';

/** Filled from the views that count them from the rows. */
const COUNTED_TABLES = ['daily_totals', 'wallet_days', 'wallet_totals'] as const;

const STATES = `
  INSERT INTO payment_states (payment_id, state, at, transaction_hash, reason)
  SELECT id, status, coalesce(failed_at, verified_at), transaction_hash, reason FROM payments WHERE status <> 'settled'`;

/** Everything that is made of events, and nothing that says how far they were read. */
const SEEDED_TABLES = ['payments', 'payment_states', 'credits', ...COUNTED_TABLES, ...SUBSCRIPTION_TABLES] as const;

/** So many payments between two looks at whether the database keeps up. */
const DAY_PART = 5_000;

export interface SeedProgress {
  payments: number;
  of: number;
  doing: string;
}

/**
 * Fills a reporting database. Memory grows with wallets, not with payments.
 * @param tell called now and then
 * @throws Error with a sentence when the database is not one to fill
 */
export async function seed(url: string, options: SeedOptions, tell: (progress: SeedProgress) => void): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await prepare(client, options);
    const days = busyDays(options);
    await addMonths(client, days[0]!.date, days.at(-1)!.date);
    await load(url, options, days, tell);
    const { payments } = options;
    await client.query(STATES);
    await client.query('ANALYZE payments, credits');
    for (const table of COUNTED_TABLES) {
      tell({ payments, of: payments, doing: table });
      await client.query(`INSERT INTO ${table} SELECT * FROM audit.counted_${table}`);
    }
    await seedSubscriptions(url, options, (done) =>
      tell({ payments, of: payments, doing: `${done} of ${options.subscriptions} subscriptions` }),
    );
    tell({ payments, of: payments, doing: 'vacuum' });
    for (const table of SEEDED_TABLES) await client.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await client.end();
  }
}

type Days = ReturnType<typeof busyDays>;

async function load(url: string, options: SeedOptions, days: Days, tell: (progress: SeedProgress) => void) {
  const random = new Random(options.seed);
  const addresses = Array.from({ length: options.wallets }, () => `0x${random.hex(40)}`);
  const open = await openTables(url);
  const { payments, credits } = open;
  try {
    const business = new Business(options.wallets, endOf(options), random, {
      payment: (payment) => payments.add(paymentCells(payment, addresses[payment.wallet]!)),
      spent: (credit) => credits.add(creditCells(credit, addresses[credit.wallet]!)),
    });
    let done = 0;
    for (const day of days) {
      for (const part of business.live(day, DAY_PART)) {
        done += part;
        for (const table of Object.values(open)) await table.drained();
      }
      tell({ payments: done, of: options.payments, doing: day.date });
    }
    for (const credit of business.unspentCredits()) credits.add(creditCells(credit, addresses[credit.wallet]!));
    for (const table of Object.values(open)) await table.finish();
  } catch (error) {
    for (const table of Object.values(open)) await table.abandon();
    throw error;
  }
}

async function openTables(url: string) {
  return {
    payments: await CopyTable.open(url, 'payments', PAYMENT_COLUMNS),
    credits: await CopyTable.open(url, 'credits', CREDIT_COLUMNS),
  };
}

function paymentCells(payment: MadePayment, address: string): Cells {
  const { status, endedMs } = payment;
  const ended = endedMs === null ? null : instant(endedMs);
  return [
    ...[
      payment.id,
      nonceOf(payment),
      address,
      PAID_ENDPOINTS[payment.endpoint]!.path,
      payment.amountMicros,
      chainId,
      ASSET,
    ],
    ...[payment.transactionHash, status, instant(payment.verifiedMs)],
    ...[status === 'settled' ? ended : null, status === 'settlement_failed' ? ended : null],
    ...[payment.served ? 't' : 'f', status === 'settlement_failed' ? 'insufficient_funds' : null, payment.tier],
    ...[payment.rebateMicros, payment.costMicros, `seed-${payment.id}`],
  ];
}

/** Made of the id, so that more columns change no other. */
function nonceOf({ id }: MadePayment): string {
  return `0x${createHash('sha256').update(id).digest('hex')}`;
}

function creditCells({ id, paymentId, tier, issuedMs, redemption }: MadeCredit, address: string): Cells {
  const issue = [id, address, CREDIT_FACE_MICROS, paymentId, tier, instant(issuedMs)];
  if (!redemption) return [...issue, null, null, null, null, null, null];
  const { endpoint, priceMicros, changeMicros, costMicros, atMs } = redemption;
  return [...issue, PAID_ENDPOINTS[endpoint]!.path, priceMicros, changeMicros, costMicros, instant(atMs), `seed-${id}`];
}

/** @throws Error with a sentence when the database is not one to fill */
async function prepare(client: Client, { replace }: { replace: boolean }): Promise<void> {
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
async function addMonths(client: Client, from: string, until: string): Promise<void> {
  await client.query(
    `SELECT add_payments_month(month AT TIME ZONE 'UTC')
     FROM generate_series(date_trunc('month', $1::timestamp), $2::timestamp, interval '1 month') AS month`,
    [from, until],
  );
}
