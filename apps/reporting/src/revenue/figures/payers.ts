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

// A wallet counts on the first day in the window on which it paid: the day whose previous one is before the window. Days of
// long ago are read as months.
const FIRST_DAYS = (wallets: string): string => `
  SELECT endpoint, ${wallets} AS wallets FROM payer_returns
  WHERE endpoint = ANY ($1) AND span = 'month' AND previous < date_trunc('month', w.first::timestamp)::date
    AND day BETWEEN w.first AND w.last
  UNION ALL
  SELECT endpoint, ${wallets} FROM payer_returns
  WHERE endpoint = ANY ($1) AND span = 'day' AND previous >= date_trunc('month', w.first::timestamp)::date
    AND previous < w.first AND day BETWEEN w.first AND w.last`;

/**
 * Payers of any window. Costs what its days times months and the days of one month are, however many payments there are.
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
      `SELECT endpoint, sum(wallets)::bigint AS wallets
       FROM (VALUES ($2::date, $3::date)) AS w (first, last), LATERAL (${FIRST_DAYS(COLUMNS[basis].wallets)}) AS found
       GROUP BY endpoint`,
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
    `SELECT coalesce((SELECT sum(wallets) FROM (${FIRST_DAYS(COLUMNS[basis].wallets)}) AS found), 0)::bigint AS wallets
     FROM unnest($2::date[], $3::date[]) WITH ORDINALITY AS w (first, last, place) ORDER BY place`,
    [[ALL_ENDPOINTS], ranges.map(({ from }) => from), ranges.map(({ to }) => to)],
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
