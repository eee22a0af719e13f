import { readMicros } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';
import {
  type AdjustedAfterView,
  marginOf,
  NO_TOTALS,
  numbersOf,
  spanView,
  type SumsRow,
  SUMS,
  type Totals,
  totalsOf,
} from './figures';
import { type Comparison, dayBefore, instantsOf, type Span, type Window } from './window';

/**
 * On which day a payment is summed: on that of its call (the default), or on that of its settlement, so that a period that is
 * over changes no more. A served call whose payment failed costs on the day of its call, or of the failure. Credits are on the
 * day they are redeemed, in both.
 */
export const BASES = ['call', 'settlement'] as const;
export type Basis = (typeof BASES)[number];

/** The columns of the sums on a basis; wallets have only `gross` and `paid`. */
export const COLUMNS = {
  call: {
    gross: 'gross_micros',
    cost: 'cost_micros',
    paid: 'paid_calls',
    lastAt: 'last_call_at',
    /** Instant of a payment. */
    at: 'verified_at',
  },
  settlement: {
    gross: 'settled_gross_micros',
    cost: 'settled_cost_micros',
    paid: 'settled_calls',
    lastAt: 'settled_last_at',
    at: 'coalesce(settled_at, failed_at)',
  },
} as const satisfies Record<Basis, Record<string, string>>;

/** Revenue, and what served calls cost without it. */
export const HAS_FIGURES = `(status = 'settled' OR (status = 'settlement_failed' AND served))`;

const DAY_OF_PART = `($3::timestamptz AT TIME ZONE 'UTC')::date`;

/** The first parameters of a statement with `callsOf` or `payersOf`: whole days from $1 to $2, a part of a day from $3 to $4. */
export function spanValues({ from, to, until }: Pick<Span, 'from' | 'to' | 'until'>): (string | Date | null)[] {
  return until === null ? [from, to, null, null] : [from, dayBefore(to), `${to}T00:00:00Z`, until];
}

/** In SQL, the sums of a span by day and endpoint: whole days from their rows, a part of the last one from its payments. */
function callsOf(basis: Basis): string {
  const { gross, cost, paid, lastAt } = COLUMNS[basis];
  return `
    SELECT day, endpoint, NULL AS wallet, ${gross} AS gross, ${cost} AS cost, ${paid} AS paid, credit_calls AS credit,
      rebate_redeemed_micros AS redeemed, ${lastAt} AS last_at
    FROM daily_totals WHERE day BETWEEN $1::date AND $2::date
    UNION ALL ${callsBetween(basis, '$3::timestamptz', '$4::timestamptz', () => DAY_OF_PART)}`;
}

/** The same from the rows of the calls, each with its day or hour. */
function callsBetween(basis: Basis, from: string, until: string, timeOf: (instant: string) => string): string {
  const { at } = COLUMNS[basis];
  return `
    SELECT ${timeOf(at)} AS time, endpoint, wallet, CASE status WHEN 'settled' THEN amount_micros ELSE 0 END AS gross,
      attributed_cost_micros AS cost, (status = 'settled')::integer AS paid, 0 AS credit, 0 AS redeemed,
      CASE status WHEN 'settled' THEN ${at} END AS last_at
    FROM payments WHERE ${at} >= ${from} AND ${at} < ${until} AND ${HAS_FIGURES}
    UNION ALL
    SELECT ${timeOf('redeemed_at')}, endpoint, wallet, 0, attributed_cost_micros, 0, 1, price_micros, redeemed_at
    FROM credits WHERE redeemed_at >= ${from} AND redeemed_at < ${until}`;
}

/** In SQL, what wallets paid in a span, by whole month and by day beside them. @param first the first parameter of its span */
export function payersOf(basis: Basis, first = 1): string {
  const { gross, paid } = COLUMNS[basis];
  const [from, to] = [`$${first}::date`, `$${first + 1}::date`];
  const begin = `date_trunc('month', ${from} + interval '1 month' - interval '1 day')::date`;
  const end = `date_trunc('month', ${to} + interval '1 day')::date`;
  return `
    SELECT month AS day, wallet, ${gross} AS gross, ${paid} AS paid
    FROM wallet_months WHERE month >= ${begin} AND month < ${end} AND ${paid} > 0
    UNION ALL
    SELECT day, wallet, ${gross}, ${paid}
    FROM wallet_days WHERE ${paid} > 0 AND
      (day BETWEEN ${from} AND ${to} AND day < ${begin} OR day BETWEEN ${from} AND ${to} AND day >= ${end})
    UNION ALL
    SELECT day, wallet, gross, paid FROM (${partOf(basis, first)}) part`;
}

function payersByEndpoint(basis: Basis): string {
  const { paid } = COLUMNS[basis];
  return `
    SELECT day, endpoint, wallet FROM wallet_days WHERE day BETWEEN $1::date AND $2::date AND ${paid} > 0
    UNION ALL
    SELECT day, endpoint, wallet FROM (${partOf(basis, 1)}) part`;
}

function partOf(basis: Basis, first: number): string {
  const { at } = COLUMNS[basis];
  const [start, until] = [`$${first + 2}::timestamptz`, `$${first + 3}::timestamptz`];
  return `
    SELECT (${start} AT TIME ZONE 'UTC')::date AS day, endpoint, wallet, amount_micros AS gross, 1 AS paid
    FROM payments WHERE ${at} >= ${start} AND ${at} < ${until} AND status = 'settled'`;
}

/** The same counted by day, each part of a span by itself: the index has the wallets of whole days in order. */
function payersByDay(basis: Basis): string {
  const { paid, at } = COLUMNS[basis];
  return `
    SELECT day::text AS key, count(DISTINCT wallet) AS payers
    FROM wallet_days WHERE day BETWEEN $1::date AND $2::date AND ${paid} > 0 GROUP BY day
    UNION ALL
    SELECT ${DAY_OF_PART}::text, count(DISTINCT wallet)
    FROM payments WHERE ${at} >= $3::timestamptz AND ${at} < $4::timestamptz AND status = 'settled'`;
}

export interface SpanFigures {
  totals: Totals;
  payers: number;
  lastCallAt: Date | null;
}

export const NO_FIGURES: SpanFigures = { totals: NO_TOTALS, payers: 0, lastCallAt: null };

/** The grouping of rows; weeks begin on Monday. */
const GROUPS = {
  all: `'all'::text`,
  day: 'day',
  endpoint: 'endpoint',
  week: `date_trunc('week', day::timestamp)::date`,
  month: `date_trunc('month', day::timestamp)::date`,
};

const EVER = { from: '-infinity', to: 'infinity', until: null };
const HOUR = (instant: string): string => `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')`;
/** As the index of such payments has it. */
const IS_LATE = `((coalesce(settled_at, failed_at)) AT TIME ZONE 'UTC')::date > ((verified_at) AT TIME ZONE 'UTC')::date`;

/** The figures of calls on a basis. */
export class SpanRows {
  constructor(
    private readonly tx: EntityManager,
    private readonly basis: Basis,
  ) {}

  async of(span: Span): Promise<SpanFigures> {
    return (await this.by('all', span)).get('all') ?? NO_FIGURES;
  }

  /** By day, week or month (as its first day), or by endpoint; what had no call is not there. */
  async by(group: keyof typeof GROUPS, span: Span): Promise<ReadonlyMap<string, SpanFigures>> {
    const { tx, basis } = this;
    const key = GROUPS[group];
    const sums = await tx.query<(SumsRow & { key: string; last_at: Date | null })[]>(
      `SELECT (${key})::text AS key, ${SUMS}, max(last_at) AS last_at FROM (${callsOf(basis)}) calls GROUP BY ${key}`,
      spanValues(span),
    );
    const paid = group === 'month' || group === 'all' ? payersOf(basis) : payersByEndpoint(basis);
    const counted = `SELECT key::text, count(*) AS payers
      FROM (SELECT DISTINCT ${key} AS key, wallet FROM (${paid}) paid) wallets GROUP BY key`;
    const payers = await tx.query<{ key: string; payers: string }[]>(
      group === 'day' ? payersByDay(basis) : counted,
      spanValues(span),
    );
    const wallets = new Map(payers.map((row) => [row.key, readMicros(row.payers)]));
    return new Map(
      sums.map((row) => [
        row.key,
        { totals: totalsOf(row), payers: wallets.get(row.key) ?? 0, lastCallAt: row.last_at },
      ]),
    );
  }

  /** By hour, as `2026-01-31 09`, from the payments themselves. */
  async byHour(span: Span): Promise<ReadonlyMap<string, SpanFigures>> {
    const [begin, end] = instantsOf(span);
    const rows = await this.tx.query<(SumsRow & { time: string; payers: string })[]>(
      `SELECT time, ${SUMS}, count(DISTINCT wallet) FILTER (WHERE paid > 0) AS payers
       FROM (${callsBetween(this.basis, '$1', '$2', HOUR)}) calls GROUP BY time`,
      [begin, span.until ?? end],
    );
    return new Map(
      rows.map((row) => [row.time, { ...NO_FIGURES, totals: totalsOf(row), payers: readMicros(row.payers) }]),
    );
  }

  /** With the day of the first call. */
  async ofAllTime(): Promise<SpanFigures & { since: string | null }> {
    const [first] = await this.tx.query<[{ since: string | null; payers: string }]>(
      `SELECT min(day)::text AS since, (SELECT count(*) FROM wallet_totals WHERE paid_calls > 0) AS payers FROM daily_totals`,
    );
    const calls = `SELECT ${SUMS} FROM (${callsOf(this.basis)}) calls`;
    const [sums] = await this.tx.query<[SumsRow]>(calls, spanValues(EVER));
    return { ...NO_FIGURES, since: first.since, totals: totalsOf(sums), payers: readMicros(first.payers) };
  }

  /** Of the calls of a window, what settled or failed after its last day. */
  async adjustedAfter(window: Window): Promise<AdjustedAfterView> {
    const [row] = await this.tx.query<[Record<'paid' | 'grossMicros' | 'costMicros', string>]>(
      `SELECT count(*) FILTER (WHERE status = 'settled') AS paid,
         coalesce(sum(amount_micros) FILTER (WHERE status = 'settled'), 0)::bigint AS "grossMicros",
         coalesce(sum(attributed_cost_micros), 0)::bigint AS "costMicros"
       FROM payments WHERE ${IS_LATE} AND ${HAS_FIGURES} AND verified_at >= $1 AND verified_at < $2
         AND coalesce(settled_at, failed_at) >= $2`,
      instantsOf(window),
    );
    const { paid, ...sums } = numbersOf(row, ['paid', 'grossMicros', 'costMicros']);
    return { paid_calls: paid, ...marginOf(sums) };
  }

  async firstPaymentDay(): Promise<string | null> {
    const [row] = await this.tx.query<[{ day: string | null }]>(
      `SELECT min(day)::text AS day FROM daily_totals WHERE ${COLUMNS[this.basis].paid} > 0`,
    );
    return row.day;
  }
}

/** There is nothing to compare with before the first payment: a part of a range would look like growth. */
export function isBeforeFirst({ from }: Pick<Window, 'from'>, first: string | null): boolean {
  return first === null || from < first;
}

/** Both sides of a comparison, one after the other; null when there is nothing to compare with. */
export async function comparedSides<Side extends object>(
  { current, before }: Comparison,
  first: string | null,
  sideOf: (span: Span) => Promise<Side>,
) {
  if (isBeforeFirst(before, first)) return null;
  const side = async (span: Span) => ({ ...spanView(span), ...(await sideOf(span)) });
  return { ...(await side(before)), compared: await side(current) };
}
