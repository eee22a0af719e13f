import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { type Basis, COLUMNS } from './basis';
import { NO_TOTALS, plusTotals, sumsOn, type SumsRow, type Totals, totalsOf } from './figures';
import { ALL_ENDPOINTS } from './payers';
import { dayOf } from './window';

/** Sums over an hour or a part of a day, of one endpoint or of all. */
export interface Part {
  totals: Totals;
  /** Distinct wallets. */
  payers: number;
  /** Those of them that had not paid earlier on that day. */
  newPayers: number;
  lastCallAt: Date | null;
}

export const NO_PART: Part = { totals: NO_TOTALS, payers: 0, newPayers: 0, lastCallAt: null };

type PartRow = SumsRow & { endpoint: string; payers: string; new_payers: string; last_at: Date | null };

const HOUR_MS = 3_600_000;

/** The hour that an instant is in, as its beginning. */
export function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * A day up to an instant by endpoint, and all of them together: its whole hours from their rollup, the rest from rows. Its
 * payers are the new ones of each hour.
 */
export async function readPartOfDay(tx: EntityManager, basis: Basis, until: Date): Promise<ReadonlyMap<string, Part>> {
  const rest = await readRestOfHour(tx, basis, until);
  const { newPayers } = COLUMNS[basis];
  const rows = await tx.query<(SumsRow & { endpoint: string; payers: string })[]>(
    `SELECT endpoint, ${sumsOn(basis)}, sum(${newPayers})::bigint AS payers
     FROM hourly_totals WHERE hour >= $1 AND hour < $2 GROUP BY endpoint`,
    [`${dayOf(until.getTime())}T00:00:00Z`, hourOf(until)],
  );
  const lastCalls = await readLastCalls(tx, basis, until);
  const hours = new Map(rows.map((row) => [row.endpoint, { totals: totalsOf(row), payers: readMicros(row.payers) }]));
  const parts = [...new Set([...hours.keys(), ...rest.keys()])].map((endpoint): [string, Part] => {
    const { totals, payers } = hours.get(endpoint) ?? NO_PART;
    const last = rest.get(endpoint) ?? NO_PART;
    const distinct = payers + last.newPayers;
    const lastCallAt = lastCalls.get(endpoint) ?? null;
    return [endpoint, { totals: plusTotals(totals, last.totals), payers: distinct, newPayers: distinct, lastCallAt }];
  });
  return new Map(parts);
}

/** The hour of an instant up to it, from its rows: at most an hour of payments. */
export async function readRestOfHour(tx: EntityManager, basis: Basis, until: Date): Promise<ReadonlyMap<string, Part>> {
  const { at, hours } = COLUMNS[basis];
  const rows = await tx.query<PartRow[]>(
    `SELECT endpoint, sum(gross)::bigint AS gross, sum(cost)::bigint AS cost, sum(paid)::bigint AS paid,
       sum(credit)::bigint AS credit, sum(redeemed)::bigint AS redeemed, sum(payers)::bigint AS payers,
       sum(new_payers)::bigint AS new_payers
     FROM (
       SELECT scope AS endpoint, coalesce(sum(p.amount_micros) FILTER (WHERE p.status = 'settled'), 0) AS gross,
         sum(p.attributed_cost_micros) AS cost, count(*) FILTER (WHERE p.status = 'settled') AS paid, 0 AS credit,
         0 AS redeemed, count(DISTINCT p.wallet) FILTER (WHERE p.status = 'settled') AS payers,
         count(DISTINCT p.wallet) FILTER (WHERE p.status = 'settled' AND d.${hours} & $3 = 0) AS new_payers
       FROM payments p CROSS JOIN LATERAL (VALUES (p.endpoint), ($5)) AS scopes (scope)
       LEFT JOIN daily_payers d ON d.endpoint = scope AND d.wallet = p.wallet AND d.day = $4
       WHERE ${at} >= $1 AND ${at} < $2
         AND (p.status = 'settled' OR (p.status = 'settlement_failed' AND p.served))
       GROUP BY scope
       UNION ALL
       SELECT scope, 0, sum(c.attributed_cost_micros), 0, count(*), sum(c.price_micros), 0, 0
       FROM credits c CROSS JOIN LATERAL (VALUES (c.endpoint), ($5)) AS scopes (scope)
       WHERE c.redeemed_at >= $1 AND c.redeemed_at < $2 GROUP BY scope
     ) parts
     GROUP BY endpoint`,
    [hourOf(until), until, 2 ** until.getUTCHours() - 1, dayOf(until.getTime()), ALL_ENDPOINTS],
  );
  return new Map(
    rows.map((row) => {
      const [payers, newPayers] = [readMicros(row.payers), readMicros(row.new_payers)];
      return [row.endpoint, { totals: totalsOf(row), payers, newPayers, lastCallAt: null }];
    }),
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
