import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { wholeMonthsOf, type Window } from './window';

/** Key of all endpoints together in the tables of payers. */
export const ALL_ENDPOINTS = '';

/** Distinct wallets by endpoint, and of all of them together. */
export type Payers = ReadonlyMap<string, number>;

interface Row {
  endpoint: string;
  wallets: string;
}

/**
 * Payers of a window that ends today: those whose last day is in it. Costs days, however many payments there are.
 * @param from a day, or `-infinity`
 */
export async function payersSince(tx: EntityManager, from: string): Promise<Payers> {
  return byEndpoint(
    await tx.query<Row[]>(
      `SELECT endpoint, sum(wallets)::bigint AS wallets FROM payers_by_last_day WHERE last_day >= $1 GROUP BY endpoint`,
      [from],
    ),
  );
}

/**
 * Payers of each endpoint in a window that does not end today. Counts the payers of its days, because they may have
 * paid again later.
 */
export async function payersWithin(tx: EntityManager, { from, to }: Window): Promise<Payers> {
  return byEndpoint(
    await tx.query<Row[]>(
      `SELECT endpoint, count(*) AS wallets
       FROM (SELECT DISTINCT endpoint, wallet FROM daily_payers WHERE day BETWEEN $1 AND $2 AND endpoint <> $3) AS payers
       GROUP BY endpoint`,
      [from, to, ALL_ENDPOINTS],
    ),
  );
}

/** Payers of all endpoints together. It reads whole months from the rollup of months: a year costs little more than a month. */
export async function allPayersWithin(tx: EntityManager, window: Window): Promise<number> {
  const { from, to } = window;
  const months = wholeMonthsOf(window);
  const [row] = await tx.query<{ wallets: string }[]>(
    `SELECT count(*) AS wallets FROM (
       SELECT wallet FROM wallet_months WHERE month BETWEEN $4 AND $5
       UNION SELECT wallet FROM daily_payers WHERE endpoint = $3 AND day BETWEEN $1 AND least($2, $4::date - 1)
       UNION SELECT wallet FROM daily_payers WHERE endpoint = $3 AND day BETWEEN greatest($1, $5::date + 1) AND $2
     ) AS payers`,
    [from, to, ALL_ENDPOINTS, months?.from ?? 'infinity', months?.to ?? 'infinity'],
  );
  return readMicros(row!.wallets);
}

/** Payers of all endpoints on each day that had one. */
export async function payersByDay(tx: EntityManager, { from, to }: Window): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ day: string; payers: string }[]>(
    `SELECT day::text, payers FROM daily_payer_counts WHERE day BETWEEN $1 AND $2 AND endpoint = $3`,
    [from, to, ALL_ENDPOINTS],
  );
  return new Map(rows.map(({ day, payers }) => [day, readMicros(payers)]));
}

function byEndpoint(rows: readonly Row[]): Payers {
  return new Map(rows.map(({ endpoint, wallets }) => [endpoint, readMicros(wallets)]));
}
