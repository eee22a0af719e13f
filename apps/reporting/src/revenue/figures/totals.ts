import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';

/** Sums over calls. */
export interface Totals {
  grossMicros: number;
  costMicros: number;
  paidCalls: number;
  creditCalls: number;
  rebateRedeemedMicros: number;
}

export const NO_TOTALS: Totals = {
  grossMicros: 0,
  costMicros: 0,
  paidCalls: 0,
  creditCalls: 0,
  rebateRedeemedMicros: 0,
};

/** Sums of `daily_totals`, to be selected from it: every figure of the revenue is made of these columns. */
export const SUMS = `
  coalesce(sum(gross_micros), 0)::bigint AS gross, coalesce(sum(cost_micros), 0)::bigint AS cost,
  coalesce(sum(paid_calls), 0)::bigint AS paid, coalesce(sum(credit_calls), 0)::bigint AS credit,
  coalesce(sum(rebate_redeemed_micros), 0)::bigint AS redeemed`;

export type SumsRow = Record<'gross' | 'cost' | 'paid' | 'credit' | 'redeemed', string>;

export function totalsOf({ gross, cost, paid, credit, redeemed }: SumsRow): Totals {
  return {
    grossMicros: readMicros(gross),
    costMicros: readMicros(cost),
    paidCalls: readMicros(paid),
    creditCalls: readMicros(credit),
    rebateRedeemedMicros: readMicros(redeemed),
  };
}

/** @param from, to days, or `-infinity` and `infinity` */
export async function readTotals(
  tx: EntityManager,
  from: string,
  to: string,
): Promise<Totals & { since: string | null }> {
  const [row] = await tx.query<(SumsRow & { since: string | null })[]>(
    `SELECT ${SUMS}, min(day)::text AS since FROM daily_totals WHERE day BETWEEN $1 AND $2`,
    [from, to],
  );
  return { ...totalsOf(row!), since: row!.since };
}
