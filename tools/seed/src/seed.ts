import { Client } from 'pg';
import { Business } from './business';
import { busyDays } from './calendar';
import { CopyTable } from './copy-table';
import { Random } from './random';
import { Rollups, type LargeRollup } from './rollups';
import { CREDIT_COLUMNS, creditCells, PAYMENT_COLUMNS, paymentCells } from './row-cells';
import type { SeedOptions } from './seed-options';
import { addMonths, prepare, SEEDED_TABLES } from './seeded-database';

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
    await addMonths(client, days[0]!.date, options.until);
    await load(url, options, days, tell);
    tell({ payments: options.payments, of: options.payments, doing: 'vacuum' });
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
  const { payments, credits, daily_payers, wallet_months } = open;
  try {
    const large: Record<LargeRollup, CopyTable> = { daily_payers, wallet_months };
    const rollups = new Rollups(addresses, (table, row) => large[table].add(row));
    const business = new Business(options.wallets, random, {
      payment: (payment) => {
        payments.add(paymentCells(payment, addresses[payment.wallet]!));
        rollups.payment(payment);
      },
      issued: (credit) => rollups.issued(credit),
      redeemed: (credit) => {
        credits.add(creditCells(credit, addresses[credit.wallet]!));
        rollups.redeemed(credit);
      },
    });
    let done = 0;
    for (const day of days) {
      rollups.beginDay(day);
      for (const part of business.live(day, DAY_PART)) {
        done += part;
        for (const table of Object.values(open)) await table.drained();
      }
      rollups.endDay();
      for (const table of Object.values(open)) await table.drained();
      tell({ payments: done, of: options.payments, doing: day.date });
    }
    for (const credit of business.unspentCredits()) credits.add(creditCells(credit, addresses[credit.wallet]!));
    for (const [table, columns, rows] of rollups.rest()) await copy(url, table, columns, rows);
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
    daily_payers: await CopyTable.open(url, 'daily_payers', 'day, endpoint, wallet'),
    wallet_months: await CopyTable.open(url, 'wallet_months', 'month, wallet, paid_calls, gross_micros'),
  };
}

async function copy(url: string, name: string, columns: string, rows: Iterable<(string | number | null)[]>) {
  const table = await CopyTable.open(url, name, columns);
  try {
    for (const row of rows) {
      table.add(row);
      await table.drained();
    }
    await table.finish();
  } catch (error) {
    await table.abandon();
    throw error;
  }
}
