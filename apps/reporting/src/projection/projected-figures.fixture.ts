import type { DataSource } from 'typeorm';
import { SCOPES, WINDOWS, type LedgerFigures, type WalletFigures, type WindowFigures } from './ledger-figures.fixture';

const iso = (instant: string) => `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const WINDOW_FIGURES = `
  SELECT concat_ws(' ', days, scope) AS key, coalesce(sum(gross_micros), 0)::text AS gross,
    coalesce(sum(cost_micros), 0)::text AS cost, coalesce(sum(paid_calls), 0)::text AS "paidCalls",
    coalesce(sum(credit_calls), 0)::text AS "creditCalls",
    coalesce(sum(rebate_redeemed_micros), 0)::text AS redeemed,
    (SELECT coalesce(sum(wallets), 0) FROM payers_by_last_day p
     WHERE p.endpoint = coalesce(scope, '') AND last_day > $1::date - days)::text AS payers,
    ${iso('max(last_call_at)')} AS "lastCallAt"
  FROM unnest($2::integer[]) AS days CROSS JOIN unnest($3::text[]) AS scope
  LEFT JOIN daily_totals t ON day > $1::date - days AND day <= $1::date AND (scope IS NULL OR t.endpoint = scope)
  GROUP BY days, scope`;

const WALLETS = `
  SELECT wallet AS key, tier, lifetime_micros::text AS lifetime, paid_calls::text AS "paidCalls",
    credit_calls::text AS "creditCalls", ${iso('first_payment_at')} AS "firstAt", ${iso('last_payment_at')} AS "lastAt",
    rebate_accrued_micros::text AS accrued, credits_issued::text AS issued, credits_outstanding::text AS outstanding
  FROM wallet_totals`;

const CREDITS = `
  SELECT issued::text, redeemed::text, outstanding::text, outstanding_face_micros::text AS face,
    redeemed_price_micros::text AS price
  FROM credit_totals`;

/** The figures of the rollups, read as the answers read them. */
export async function projectedFigures(dataSource: DataSource, lastDay: string): Promise<LedgerFigures> {
  const keyed = async <Figures>(sql: string, values?: unknown[]): Promise<Record<string, Figures>> => {
    const rows = await dataSource.query<({ key: string } & Figures)[]>(sql, values);
    return Object.fromEntries(rows.map(({ key, ...figures }) => [key, figures as Figures]));
  };
  const counts = async (name: string, count: string, table: string): Promise<Record<string, string>> => {
    const sql = `SELECT ${name} AS key, ${count}::text AS count FROM ${table} WHERE ${count} <> 0`;
    const rows = await dataSource.query<{ key: string; count: string }[]>(sql);
    return Object.fromEntries(rows.map(({ key, count: figure }) => [key, figure]));
  };
  const [credits] = await dataSource.query<[LedgerFigures['credits']]>(CREDITS);
  return {
    windows: await keyed<WindowFigures>(WINDOW_FIGURES, [lastDay, WINDOWS, SCOPES]),
    dailyPayers: await counts(`concat_ws(' ', day, nullif(endpoint, ''))`, 'payers', 'daily_payer_counts'),
    wallets: await keyed<WalletFigures>(WALLETS),
    tiers: await counts('tier', 'wallets', 'tier_totals'),
    settlements: await counts('status', 'payments', 'settlement_totals'),
    credits,
  };
}
