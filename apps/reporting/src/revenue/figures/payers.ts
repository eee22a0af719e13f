import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { type Basis, COLUMNS } from './basis';
import type { Window } from './window';

/** Key of all endpoints together in the tables of payers. */
export const ALL_ENDPOINTS = '';

/** Distinct wallets by endpoint, and of all of them together. */
export type Payers = ReadonlyMap<string, number>;

interface Row {
  endpoint: string;
  wallets: string;
}

/**
 * Payers of all days from one on: those whose last day is not before it. Costs days, however many payments there are.
 * @param from a day, or `-infinity`
 */
export async function payersSince(tx: EntityManager, basis: Basis, from: string): Promise<Payers> {
  return byEndpoint(
    await tx.query<Row[]>(
      `SELECT endpoint, sum(${COLUMNS[basis].wallets})::bigint AS wallets
       FROM payers_by_last_day WHERE last_day >= $1 GROUP BY endpoint`,
      [from],
    ),
  );
}

// A wallet counts on the first day in the window on which it paid: the one before which it had not paid for as many days as the
// window has by then.
const FIRST_DAYS = (wallets: string): string => `sum(${wallets}[least(day - first + 1, cardinality(${wallets}))])`;

/**
 * Payers of any window. Costs what its days are, however many payments there are.
 * @param window at most `MOST_WINDOW_DAYS` long
 * @param endpoints paths, or `ALL_ENDPOINTS`
 */
export async function payersWithin(
  tx: EntityManager,
  basis: Basis,
  { from, to }: Window,
  endpoints: readonly string[],
): Promise<Payers> {
  return byEndpoint(
    await tx.query<Row[]>(
      `SELECT endpoint, ${FIRST_DAYS(COLUMNS[basis].wallets)}::bigint AS wallets
       FROM (VALUES ($2::date, $3::date)) AS w (first, last), payers_by_gap
       WHERE endpoint = ANY ($1) AND day BETWEEN first AND last GROUP BY endpoint`,
      [endpoints, from, to],
    ),
  );
}

/** Payers of all endpoints in each of several ranges of days, in their order. */
export async function payersOfRanges(
  tx: EntityManager,
  basis: Basis,
  ranges: readonly Pick<Window, 'from' | 'to'>[],
): Promise<number[]> {
  const rows = await tx.query<{ wallets: string }[]>(
    `SELECT coalesce(${FIRST_DAYS(COLUMNS[basis].wallets)}, 0)::bigint AS wallets
     FROM unnest($2::date[], $3::date[]) WITH ORDINALITY AS w (first, last, place)
       LEFT JOIN payers_by_gap ON endpoint = $1 AND day BETWEEN first AND last
     GROUP BY place ORDER BY place`,
    [ALL_ENDPOINTS, ranges.map(({ from }) => from), ranges.map(({ to }) => to)],
  );
  return rows.map(({ wallets }) => readMicros(wallets));
}

/** Payers of all endpoints on each day that had one. */
export async function payersByDay(
  tx: EntityManager,
  basis: Basis,
  { from, to }: Pick<Window, 'from' | 'to'>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ day: string; payers: string }[]>(
    `SELECT day::text, ${COLUMNS[basis].payers} AS payers FROM daily_payer_counts
     WHERE day BETWEEN $1 AND $2 AND endpoint = $3`,
    [from, to, ALL_ENDPOINTS],
  );
  return new Map(rows.map(({ day, payers }) => [day, readMicros(payers)]));
}

function byEndpoint(rows: readonly Row[]): Payers {
  return new Map(rows.map(({ endpoint, wallets }) => [endpoint, readMicros(wallets)]));
}
