import type { DataSource } from 'typeorm';
import { SCOPES, WINDOWS, type LedgerFigures, type WalletFigures, type WindowFigures } from './ledger-figures.fixture';

const iso = (instant: string) => `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const WINDOW_FIGURES = `
  SELECT concat_ws(' ', days, scope) AS key, coalesce(sum(gross_micros), 0)::text AS gross,
    coalesce(sum(cost_micros), 0)::text AS cost, coalesce(sum(paid_calls), 0)::text AS "paidCalls",
    coalesce(sum(credit_calls), 0)::text AS "creditCalls",
    coalesce(sum(rebate_redeemed_micros), 0)::text AS redeemed,
    (SELECT count(DISTINCT wallet) FROM wallet_days p
     WHERE p.paid_calls > 0 AND (scope IS NULL OR p.endpoint = scope) AND p.day > $1::date - days
       AND p.day <= $1::date)::text AS payers,
    ${iso('max(last_call_at)')} AS "lastCallAt"
  FROM unnest($2::integer[]) AS days CROSS JOIN unnest($3::text[]) AS scope
  LEFT JOIN daily_totals t ON day > $1::date - days AND day <= $1::date AND (scope IS NULL OR t.endpoint = scope)
  GROUP BY days, scope`;

const WALLETS = `
  SELECT wallet AS key, tier, lifetime_micros::text AS lifetime, paid_calls::text AS "paidCalls",
    credit_calls::text AS "creditCalls", ${iso('first_payment_at')} AS "firstAt", ${iso('last_payment_at')} AS "lastAt",
    rebate_accrued_micros::text AS accrued, credits_issued::text AS issued, credits_outstanding::text AS outstanding
  FROM wallet_totals`;

const DAILY_PAYERS = `
  SELECT day::text AS key, count(DISTINCT wallet)::text AS count FROM wallet_days WHERE paid_calls > 0 GROUP BY day
  UNION ALL
  SELECT concat_ws(' ', day, endpoint), count(DISTINCT wallet)::text FROM wallet_days WHERE paid_calls > 0
  GROUP BY day, endpoint`;

const TIERS = 'SELECT tier AS key, count(*)::text AS count FROM wallet_totals WHERE tier IS NOT NULL GROUP BY tier';
const SETTLEMENTS = 'SELECT status AS key, count(*)::text AS count FROM payments GROUP BY status';

const CREDITS = `
  SELECT issued::text, redeemed::text, (issued - redeemed)::text AS outstanding, (face - price - change)::text AS face,
    price::text
  FROM (
    SELECT coalesce(sum(credits_issued), 0) AS issued, coalesce(sum(credits_redeemed), 0) AS redeemed,
      coalesce(sum(rebate_issued_micros), 0) AS face, coalesce(sum(change_micros), 0) AS change,
      (SELECT coalesce(sum(rebate_redeemed_micros), 0) FROM daily_totals) AS price
    FROM wallet_totals
  ) sums`;

/** The figures of the rollups, read as the answers read them. */
export async function projectedFigures(dataSource: DataSource, lastDay: string): Promise<LedgerFigures> {
  const keyed = async <Figures>(sql: string, values?: unknown[]): Promise<Record<string, Figures>> => {
    const rows = await dataSource.query<({ key: string } & Figures)[]>(sql, values);
    return Object.fromEntries(rows.map(({ key, ...figures }) => [key, figures as Figures]));
  };
  const counts = async (sql: string): Promise<Record<string, string>> => {
    const rows = await dataSource.query<{ key: string; count: string }[]>(sql);
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
  };
  const [credits] = await dataSource.query<[LedgerFigures['credits']]>(CREDITS);
  return {
    windows: await keyed<WindowFigures>(WINDOW_FIGURES, [lastDay, WINDOWS, SCOPES]),
    dailyPayers: await counts(DAILY_PAYERS),
    wallets: await keyed<WalletFigures>(WALLETS),
    tiers: await counts(TIERS),
    settlements: await counts(SETTLEMENTS),
    credits,
  };
}
