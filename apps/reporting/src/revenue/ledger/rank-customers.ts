import type { RebateTierName } from '@evenkeel/contracts';
import { instantOf, microsAt, openedPlace, sealedPlace } from '@evenkeel/platform/lists';
import type { EntityManager } from 'typeorm';
import { ALL_ENDPOINTS } from '../figures/payers';
import { daysOf, rangeOf, type Window } from '../figures/window';
import { daysSpentOn, monthsTouchedBy, partsOf, SPENT } from './wallet-spend';

/** What customers are ranked by, the highest or latest first; among equals by who came first, then by wallet. */
export const CUSTOMER_SORTS = ['lifetime_spend', 'paid_calls', 'last_payment', 'window_spend'] as const;
export type CustomerSort = (typeof CUSTOMER_SORTS)[number];

export interface CustomerRow {
  wallet: string;
  tier: RebateTierName;
  lifetime_micros: string;
  paid_calls: string;
  credit_calls: string;
  first_payment_at: Date;
  last_payment_at: Date;
  rebate_accrued_micros: string;
  rebate_issued_micros: string;
  credits_issued: string;
  credits_redeemed: string;
  credits_outstanding: string;
  /** What it is ranked by: an amount, a number, or an instant in microseconds. */
  value: string;
  first_micros: string;
}

/** The last customer of a page: the next one begins behind it. */
export interface CustomerPlace extends Pick<CustomerRow, 'wallet' | 'value' | 'first_micros'> {
  rank: number;
}

export interface CustomersPage {
  sort: CustomerSort;
  limit: number;
  after: CustomerPlace | undefined;
  /** Only customers that paid on these days; undefined for all. */
  window: Window | undefined;
  today: string;
}

const micros = (instant: string): string => `(extract(epoch FROM ${instant}) * 1000000)::bigint`;

const COLUMNS = `
  t.wallet, tier, lifetime_micros, paid_calls, credit_calls, first_payment_at, last_payment_at, rebate_accrued_micros,
  rebate_issued_micros, credits_issued, credits_redeemed, credits_outstanding, ${micros('first_payment_at')} AS first_micros`;

interface Order {
  column: string;
  value: string;
  /** A value as the column has it. */
  read: (value: string) => string;
}

const as = (column: string): Order => ({ column, value: column, read: (value) => value });

/** Each has an index. */
const ORDERS: Readonly<Record<Exclude<CustomerSort, 'window_spend'>, Order>> = {
  lifetime_spend: as('lifetime_micros'),
  paid_calls: as('paid_calls'),
  last_payment: {
    column: 'last_payment_at',
    value: micros('last_payment_at'),
    read: (value) => instantOf({ atMicros: value }),
  },
};

/** One row more than the page, if there is one. */
export function rankCustomers(tx: EntityManager, { sort, window, ...page }: CustomersPage): Promise<CustomerRow[]> {
  if (sort !== 'window_spend') return rankedByTotal(tx, ORDERS[sort], { ...page, window });
  if (!window) throw new RangeError('what was spent on no days has no order');
  return rankedBySpend(tx, { ...page, window });
}

async function rankedByTotal(
  tx: EntityManager,
  { column, value, read }: Order,
  { limit, after, window, today }: Omit<CustomersPage, 'sort'>,
): Promise<CustomerRow[]> {
  const values: unknown[] = [limit + 1];
  const parameter = (given: unknown): string => `$${values.push(given)}`;
  const conditions = ['paid_calls > 0', ...(window ? paidWithin(window, today, parameter) : [])];
  const order = `ORDER BY ${column} DESC, first_payment_at, wallet LIMIT $1`;
  const ranked = (...more: string[]): string =>
    `SELECT ${COLUMNS}, ${value} AS value FROM wallet_totals t WHERE ${[...conditions, ...more].join(' AND ')} ${order}`;
  if (!after) return tx.query(ranked(), values);
  const last = parameter(read(after.value));
  const came = `(${parameter(instantOf({ atMicros: after.first_micros }))}, ${parameter(after.wallet)})`;
  // Equals first, then those below: each begins at its place in the index.
  return tx.query(
    `SELECT * FROM (
       (${ranked(`${column} = ${last}`, `(first_payment_at, wallet) > ${came}`)})
       UNION ALL
       (${ranked(`${column} < ${last}`)})
     ) AS following ${order}`,
    values,
  );
}

function paidWithin({ from, to }: Window, today: string, parameter: (given: unknown) => string): string[] {
  const first = parameter(`${from}T00:00:00Z`);
  // Who paid last since then has paid in it.
  if (to >= today) return [`last_payment_at >= ${first}::timestamptz`];
  const last = parameter(`${to}T00:00:00Z`);
  return [
    `last_payment_at >= ${first}::timestamptz`,
    `first_payment_at < ${last}::timestamptz + interval '24 hours'`,
    `EXISTS (
       SELECT FROM daily_payers p
       WHERE p.endpoint = '${ALL_ENDPOINTS}' AND p.wallet = t.wallet AND p.day BETWEEN ${parameter(from)}::date AND ${parameter(to)}::date
         AND p.call_hours <> 0
     )`,
  ];
}

/** A month has many payers that were few on any one day. */
const MOST_RANKED_BY_DAY = 7;

/** The wallets of the month or day `n.span`, in the order of what they spent in it. */
const OF_MONTH = 'FROM wallet_months WHERE month = n.span ORDER BY gross_micros DESC, wallet';
const OF_DAY = `
  FROM daily_payers WHERE endpoint = '${ALL_ENDPOINTS}' AND day = n.span ORDER BY gross_micros DESC, wallet`;

/** The leaders of each of the months $4 and the days $5. */
const leadersIn = (spans: string, wallets: string): string =>
  `SELECT top.wallet FROM unnest(${spans}::date[]) AS n (span), LATERAL (SELECT wallet ${wallets} LIMIT $6) AS top`;
const LEADERS = `${leadersIn('$4', OF_MONTH)} UNION ${leadersIn('$5', OF_DAY)}`;

/** The most that a wallet which is not among the leaders can have spent in the months $1 and on the days $2. */
const nextIn = (spans: string, wallets: string): string =>
  `SELECT (SELECT gross_micros ${wallets} OFFSET $3 LIMIT 1) AS spent FROM unnest(${spans}::date[]) AS n (span)`;
const MOST_OF_OTHERS = `
  SELECT coalesce(sum(spent), 0)::bigint AS most
  FROM (${nextIn('$1', OF_MONTH)} UNION ALL ${nextIn('$2', OF_DAY)}) AS next`;

/** Of a month with few days in the window the leaders are those of the days: who spent most in the rest of it says nothing. */
function spansOf(window: Window): [months: string[], days: string[]] {
  const { months, rest } = partsOf(window);
  const parts = rest.map(({ from, to }) => rangeOf(from, to));
  const long = parts.filter(({ days }) => days > MOST_RANKED_BY_DAY);
  const short = parts.filter(({ days }) => days <= MOST_RANKED_BY_DAY);
  return [[...months, ...long.flatMap(monthsTouchedBy)], short.flatMap(daysOf)];
}

const FIRST_DEPTH = 2;
const DEEPER = 4;

/**
 * By what they spent in the window: the leaders of each day or month that it touches, as many as are needed to know that
 * nobody else comes before them. A page costs about what the pages before it hold.
 */
async function rankedBySpend(
  tx: EntityManager,
  { limit, after, window }: Omit<CustomersPage, 'sort' | 'window'> & { window: Window },
): Promise<CustomerRow[]> {
  const spans = spansOf(window);
  const behind = after
    ? 'AND (spend < $8 OR (spend = $8 AND (first_payment_at, t.wallet) > ($9::timestamptz, $10)))'
    : '';
  const place = after ? [after.value, instantOf({ atMicros: after.first_micros }), after.wallet] : [];
  for (let depth = FIRST_DEPTH * ((after?.rank ?? 0) + limit + 1); ; depth *= DEEPER) {
    const rows = await tx.query<CustomerRow[]>(
      `SELECT ${COLUMNS}, spend AS value
       FROM (${LEADERS}) AS w, LATERAL (${SPENT}) AS spent, wallet_totals t
       WHERE paid > 0 AND t.wallet = w.wallet ${behind}
       ORDER BY spend DESC, first_payment_at, t.wallet LIMIT $7`,
      [...daysSpentOn(window), ...spans, depth, limit + 1, ...place],
    );
    const [others] = await tx.query<[{ most: string }]>(MOST_OF_OTHERS, [...spans, depth]);
    const most = BigInt(others.most);
    const last = rows.at(limit);
    if (most === 0n || (last && BigInt(last.value) > most)) return rows;
  }
}

const PLACE_BYTES = 40;

/** The form of a cursor, for documents. */
export const CUSTOMER_CURSOR_PATTERN = '^[A-Za-z0-9_-]{59}$';

/** Opaque for callers. One of another order is refused. */
export function customerCursorOf(sort: CustomerSort, { rank, value, first_micros, wallet }: CustomerPlace): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeUInt32BE(rank);
  place.writeBigInt64BE(BigInt(value), 4);
  place.writeBigInt64BE(BigInt(first_micros), 12);
  place.write(wallet.slice(2), 20, 'hex');
  return sealedPlace(listOf(sort), place);
}

/** @throws ValidationFailed unless it is a cursor of this order */
export function readCustomerCursor(sort: CustomerSort, text: string): CustomerPlace {
  const place = openedPlace(listOf(sort), text, PLACE_BYTES);
  return {
    rank: place.readUInt32BE(),
    value: microsAt(place, 4),
    first_micros: microsAt(place, 12),
    wallet: `0x${place.toString('hex', 20)}`,
  };
}

function listOf(sort: CustomerSort): string {
  return `customers by ${sort}`;
}
