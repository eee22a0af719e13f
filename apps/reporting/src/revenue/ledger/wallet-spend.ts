import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import { ALL_ENDPOINTS } from '../figures/payers';
import { lastOfMonth, shifted, type Span, type Window } from '../figures/window';

/** Settled payments of a wallet, on the days of their calls. */
export interface Spent {
  micros: number;
  calls: number;
}

export const NOTHING_SPENT: Spent = { micros: 0, calls: 0 };

/** What `w.wallet` spent: $1 are whole months, $2 the first and $3 the last days of what is beside them. */
export const SPENT = `
  SELECT coalesce(sum(gross_micros), 0)::bigint AS spend, coalesce(sum(paid_calls), 0)::bigint AS paid FROM (
    SELECT gross_micros, paid_calls FROM wallet_months m WHERE m.month = ANY ($1::date[]) AND m.wallet = w.wallet
    UNION ALL
    SELECT p.gross_micros, p.paid_calls FROM unnest($2::date[], $3::date[]) AS range (first, last)
      JOIN daily_payers p ON p.endpoint = '${ALL_ENDPOINTS}' AND p.wallet = w.wallet AND p.day BETWEEN range.first AND range.last
  ) AS parts`;

/** The first three parameters of a statement with `SPENT`. */
export function daysSpentOn(
  window: Pick<Window, 'from' | 'to'>,
): [months: string[], firsts: string[], lasts: string[]] {
  const { months, rest } = partsOf(window);
  return [months, rest.map(({ from }) => from), rest.map(({ to }) => to)];
}

/** Of some wallets; a wallet that paid nothing may be missing. Costs their days and months, however many others there are. */
export async function spentBy(
  tx: EntityManager,
  wallets: readonly string[],
  span: Span,
  today: string,
): Promise<ReadonlyMap<string, Spent>> {
  const isPart = span.until !== null && span.to < today;
  const rows = isPart ? await spentUntil(tx, wallets, span.to, span.until!) : await spentOn(tx, wallets, span);
  return new Map(
    rows.map(({ wallet, spend, paid }) => [wallet, { micros: readMicros(spend), calls: readMicros(paid) }]),
  );
}

interface Row {
  wallet: string;
  spend: string;
  paid: string;
}

function spentOn(tx: EntityManager, wallets: readonly string[], window: Window): Promise<Row[]> {
  return tx.query(`SELECT w.wallet, spend, paid FROM unnest($4::text[]) AS w (wallet), LATERAL (${SPENT}) AS spent`, [
    ...daysSpentOn(window),
    wallets,
  ]);
}

/** A part of one day, from its payments: those of a few wallets. */
function spentUntil(tx: EntityManager, wallets: readonly string[], day: string, until: Date): Promise<Row[]> {
  return tx.query(
    `SELECT wallet, sum(amount_micros)::bigint AS spend, count(*) AS paid FROM payments
     WHERE wallet = ANY ($1) AND verified_at >= $2 AND verified_at < $3 AND status = 'settled' GROUP BY wallet`,
    [wallets, `${day}T00:00:00Z`, until],
  );
}

interface Parts {
  /** First days of the calendar months that are whole. */
  months: string[];
  /** Days before and behind them, or in place of them. */
  rest: Pick<Window, 'from' | 'to'>[];
}

/** A window as whole months and what is left of it: a year is 13 rows of a wallet in place of 365. */
export function partsOf({ from, to }: Pick<Window, 'from' | 'to'>): Parts {
  const parts: Parts = { months: [], rest: [] };
  for (let first = from; first <= to;) {
    const end = lastOfMonth(first);
    const last = end < to ? end : to;
    if (first.endsWith('-01') && last === end) parts.months.push(first);
    else parts.rest.push({ from: first, to: last });
    first = shifted(last, 1);
  }
  return parts;
}

/** First days of all months that a window touches. */
export function monthsTouchedBy({ from, to }: Pick<Window, 'from' | 'to'>): string[] {
  const months = [];
  for (let month = `${from.slice(0, 7)}-01`; month <= to; month = shifted(lastOfMonth(month), 1)) months.push(month);
  return months;
}
