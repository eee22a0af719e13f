import type { RebateTierName } from '@evenkeel/contracts';
import { microsAt, openedPlace, sealedPlace } from '@evenkeel/platform/validation';
import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import type { Basis } from '../figures/basis';
import { payersOf, spanValues } from '../figures/span-rows';
import type { Comparison, Span } from '../figures/window';

/** The orders of customers, the highest or latest first; among equals the earliest customer, then by wallet. */
export const CUSTOMER_SORTS = ['lifetime_spend', 'paid_calls', 'last_payment', 'window_spend', 'window_fall'] as const;
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
  /** The value that orders it: an amount, a number, or an instant in microseconds. */
  value: string;
  first_micros: string;
}

/** The last customer of a page: the next one begins behind it. */
export interface CustomerPlace extends Pick<CustomerRow, 'wallet' | 'value' | 'first_micros'> {
  rank: number;
}

export interface CustomersPage {
  sort: CustomerSort;
  /** Of what they spent on the days. */
  basis: Basis;
  limit: number;
  after: CustomerPlace | undefined;
  /** Only customers that paid on these days; undefined for all. */
  span: Span | undefined;
  /** Undefined where there is nothing to compare with. */
  comparison: Comparison | undefined;
}

const micros = (instant: string): string => `(extract(epoch FROM ${instant}) * 1000000)::bigint`;

const COLUMNS = `
  t.wallet, tier, lifetime_micros, t.paid_calls, credit_calls, first_payment_at, last_payment_at, rebate_accrued_micros,
  rebate_issued_micros, credits_issued, credits_redeemed, credits_outstanding, ${micros('first_payment_at')} AS first_micros`;

const VALUES: Readonly<Record<CustomerSort, string>> = {
  lifetime_spend: 'lifetime_micros',
  paid_calls: 't.paid_calls',
  last_payment: micros('last_payment_at'),
  window_spend: 'spent.gross',
  window_fall: 'fallen.micros',
};

const spentIn = (paid: string): string =>
  `SELECT wallet, sum(gross)::bigint AS gross FROM (${paid}) paid GROUP BY wallet`;

/** One row more than the page, if there is one. */
export function rankCustomers(tx: EntityManager, page: CustomersPage): Promise<CustomerRow[]> {
  const { sort, limit, after } = page;
  const [tables, values] = tablesOf(page);
  const parameter = (given: unknown): string => `$${values.push(given)}`;
  const place = after && {
    value: `${parameter(after.value)}::bigint`,
    came: `(${parameter(after.first_micros)}::bigint, ${parameter(after.wallet)})`,
  };
  const behind = place
    ? `WHERE value < ${place.value} OR (value = ${place.value} AND (first_micros, wallet) > ${place.came})`
    : '';
  return tx.query(
    `SELECT * FROM (SELECT ${COLUMNS}, ${VALUES[sort]} AS value FROM ${tables} WHERE t.paid_calls > 0) ranked
     ${behind} ORDER BY value DESC, first_micros, wallet LIMIT ${parameter(limit + 1)}`,
    values,
  );
}

/** The wallets in question, with the parameters of their days. */
function tablesOf({ sort, basis, span, comparison }: CustomersPage): [tables: string, values: unknown[]] {
  if (sort === 'window_fall') {
    if (!comparison) return ['wallet_totals t, (SELECT 0 AS micros WHERE false) fallen', []];
    const fallen = `
      SELECT wallet, b.gross - coalesce(c.gross, 0) AS micros
      FROM (${spentIn(payersOf(basis))}) b LEFT JOIN (${spentIn(payersOf(basis, 5))}) c USING (wallet)
      WHERE b.gross > coalesce(c.gross, 0)`;
    const { before, current } = comparison;
    return [`wallet_totals t JOIN (${fallen}) fallen USING (wallet)`, [...spanValues(before), ...spanValues(current)]];
  }
  if (!span) return ['wallet_totals t', []];
  return [`wallet_totals t JOIN (${spentIn(payersOf(basis))}) spent USING (wallet)`, spanValues(span)];
}

/** Settled payments of a wallet. */
export interface Spent {
  micros: number;
  calls: number;
}

export const NOTHING_SPENT: Spent = { micros: 0, calls: 0 };

/** Of some wallets; one that paid nothing is missing. */
export async function spentBy(
  tx: EntityManager,
  basis: Basis,
  wallets: readonly string[],
  span: Span,
): Promise<ReadonlyMap<string, Spent>> {
  const rows = await tx.query<{ wallet: string; spend: string; paid: string }[]>(
    `SELECT wallet, sum(gross)::bigint AS spend, sum(paid)::bigint AS paid FROM (${payersOf(basis)}) paid
     WHERE wallet = ANY ($5) GROUP BY wallet`,
    [...spanValues(span), wallets],
  );
  return new Map(
    rows.map(({ wallet, spend, paid }) => [wallet, { micros: readMicros(spend), calls: readMicros(paid) }]),
  );
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
