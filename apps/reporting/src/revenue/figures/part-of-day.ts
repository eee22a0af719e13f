import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { type Basis, COLUMNS } from './basis';
import { NO_TOTALS, plusTotals, sumsOn, type SumsRow, type Totals, totalsOf } from './figures';
import { ALL_ENDPOINTS } from './payers';
import { dayOf } from './window';

/** Sums over an hour or a part of a day. */
export interface Part {
  totals: Totals;
  /** Distinct wallets. */
  payers: number;
}

interface RestOfHour extends Part {
  /** The payers that had not paid earlier on that day. */
  newPayers: number;
}

const NO_PART: RestOfHour = { totals: NO_TOTALS, payers: 0, newPayers: 0 };

/** Of which endpoints parts are read, in SQL: all of them together cost half as much as each. */
interface Endpoints {
  /** Of a payment or a credit. */
  endpoint: string;
  /** Whether rows of a rollup are about them. */
  counted: string;
}

const EACH: Endpoints = { endpoint: 'endpoint', counted: `endpoint > '${ALL_ENDPOINTS}'` };
const ALL: Endpoints = { endpoint: `'${ALL_ENDPOINTS}'::text`, counted: `endpoint = '${ALL_ENDPOINTS}'` };

const HOUR_MS = 3_600_000;

/** The hour that an instant is in, as its beginning. */
export function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/** A day up to an instant, all endpoints together. */
export async function readPartOfDay(tx: EntityManager, basis: Basis, until: Date): Promise<Part> {
  return (await partsOf(tx, basis, until, ALL)).get(ALL_ENDPOINTS) ?? NO_PART;
}

/** The same by endpoint. */
export async function readPartsOfDay(
  tx: EntityManager,
  basis: Basis,
  until: Date,
): Promise<ReadonlyMap<string, Part & { lastCallAt: Date | null }>> {
  const parts = await partsOf(tx, basis, until, EACH);
  const lastCalls = await readLastCalls(tx, basis, until);
  return new Map([...parts].map(([path, part]) => [path, { ...part, lastCallAt: lastCalls.get(path) ?? null }]));
}

/** The hour of an instant up to it, all endpoints together. */
export async function readRestOfHour(tx: EntityManager, basis: Basis, until: Date): Promise<Part> {
  return (await restsOf(tx, basis, until, ALL)).get(ALL_ENDPOINTS) ?? NO_PART;
}

/** Whole hours from their rollup, the rest from rows. The payers are the new ones of each hour. */
async function partsOf(
  tx: EntityManager,
  basis: Basis,
  until: Date,
  endpoints: Endpoints,
): Promise<ReadonlyMap<string, Part>> {
  const rests = await restsOf(tx, basis, until, endpoints);
  const { newPayers } = COLUMNS[basis];
  const rows = await tx.query<(SumsRow & { endpoint: string; payers: string })[]>(
    `SELECT endpoint, ${sumsOn(basis)}, sum(${newPayers})::bigint AS payers
     FROM hourly_totals WHERE hour >= $1 AND hour < $2 AND ${endpoints.counted} GROUP BY endpoint`,
    [`${dayOf(until.getTime())}T00:00:00Z`, hourOf(until)],
  );
  const hours = new Map(rows.map((row) => [row.endpoint, { totals: totalsOf(row), payers: readMicros(row.payers) }]));
  const parts = [...new Set([...hours.keys(), ...rests.keys()])].map((path): [string, Part] => {
    const { totals, payers } = hours.get(path) ?? NO_PART;
    const rest = rests.get(path) ?? NO_PART;
    return [path, { totals: plusTotals(totals, rest.totals), payers: payers + rest.newPayers }];
  });
  return new Map(parts);
}

type RestRow = SumsRow & { endpoint: string; payers: string; new_payers: string };

/** At most an hour of payments. Their new payers are those whose first hour of that day it is: the lowest bit of their hours. */
async function restsOf(
  tx: EntityManager,
  basis: Basis,
  until: Date,
  { endpoint, counted }: Endpoints,
): Promise<ReadonlyMap<string, RestOfHour>> {
  const { at, hours } = COLUMNS[basis];
  const rows = await tx.query<RestRow[]>(
    `SELECT endpoint, sum(gross)::bigint AS gross, sum(cost)::bigint AS cost, sum(paid)::bigint AS paid,
       sum(credit)::bigint AS credit, sum(redeemed)::bigint AS redeemed, sum(payers)::bigint AS payers,
       sum(new_payers)::bigint AS new_payers
     FROM (
       SELECT endpoint, sum(gross) AS gross, sum(cost) AS cost, sum(paid) AS paid, 0 AS credit, 0 AS redeemed,
         count(*) FILTER (WHERE paid > 0) AS payers,
         count(*) FILTER (WHERE paid > 0 AND (endpoint, wallet) IN (
           SELECT endpoint, wallet FROM daily_payers WHERE day = $4 AND ${hours} & -${hours} = $3 AND ${counted})) AS new_payers
       FROM (
         SELECT ${endpoint} AS endpoint, wallet, coalesce(sum(amount_micros) FILTER (WHERE status = 'settled'), 0) AS gross,
           sum(attributed_cost_micros) AS cost, count(*) FILTER (WHERE status = 'settled') AS paid
         FROM payments
         WHERE ${at} >= $1 AND ${at} < $2 AND (status = 'settled' OR (status = 'settlement_failed' AND served))
         GROUP BY 1, wallet) wallets
       GROUP BY endpoint
       UNION ALL
       SELECT ${endpoint}, 0, sum(attributed_cost_micros), 0, count(*), sum(price_micros), 0, 0
       FROM credits WHERE redeemed_at >= $1 AND redeemed_at < $2 GROUP BY 1
     ) parts
     GROUP BY endpoint`,
    [hourOf(until), until, 2 ** until.getUTCHours(), dayOf(until.getTime())],
  );
  return new Map(
    rows.map((row) => [
      row.endpoint,
      { totals: totalsOf(row), payers: readMicros(row.payers), newPayers: readMicros(row.new_payers) },
    ]),
  );
}

/** The latest call of each endpoint on the day of an instant and before it. */
async function readLastCalls(tx: EntityManager, basis: Basis, until: Date): Promise<ReadonlyMap<string, Date>> {
  const { at } = COLUMNS[basis];
  const rows = await tx.query<{ endpoint: string; last_at: Date }[]>(
    `SELECT e.endpoint, last_at
     FROM (SELECT DISTINCT endpoint FROM daily_totals WHERE day = $1) e,
       LATERAL (SELECT greatest(
         (SELECT ${at} FROM payments p WHERE p.endpoint = e.endpoint AND p.status = 'settled'
            AND ${at} >= $2 AND ${at} < $3 ORDER BY ${at} DESC LIMIT 1),
         (SELECT redeemed_at FROM credits c WHERE c.endpoint = e.endpoint
            AND redeemed_at >= $2 AND redeemed_at < $3 ORDER BY redeemed_at DESC LIMIT 1)
       ) AS last_at) AS latest
     WHERE last_at IS NOT NULL`,
    [dayOf(until.getTime()), `${dayOf(until.getTime())}T00:00:00Z`, until],
  );
  return new Map(rows.map(({ endpoint, last_at }) => [endpoint, last_at]));
}
