import { LIMITED_IN_WORDS, REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { badQuery, microsAt, openedPlace, sealedPlace } from '@evenkeel/platform/validation';
import type { EntityManager } from 'typeorm';
import { QueryMember } from '../../operator-access/query-member';
import { Is, Money } from '../figures/figures';
import { type Basis, payersOf, spanValues } from '../figures/span-rows';
import type { Comparison, Period, Span } from '../figures/window';
import { type Stored, viewOf } from '../payments/row-view';
import { BasisMember, COMPARED, DaysMember, LimitMember, NamedDaysQuery, WordMember } from '../revenue-query';

/** The orders of customers, the highest or latest first; among equals the earliest customer, then by wallet. */
export const CUSTOMER_SORTS = ['lifetime_spend', 'paid_calls', 'last_payment', 'window_spend', 'window_fall'] as const;
export type CustomerSort = (typeof CUSTOMER_SORTS)[number];

const PLACE_BYTES = 40;

/** The form of a cursor, for documents. */
const CUSTOMER_CURSOR_PATTERN = '^[A-Za-z0-9_-]{59}$';

/** Which wallets are listed, and in which order; what needs days is refused without them. */
export class CustomersQuery extends NamedDaysQuery {
  @LimitMember limit = 25;
  @DaysMember('only who paid on the current UTC day and those before it') days?: number;
  @BasisMember basis: Basis = 'call';
  @WordMember(
    CUSTOMER_SORTS,
    'the highest or latest first, equals by their first payment; `window_spend` only with days; `window_fall`, only with ' +
      'compare: those who spent less than before, the greatest fall first',
    { default: 'lifetime_spend', ...LIMITED_IN_WORDS },
  )
  sort: CustomerSort = 'lifetime_spend';
  @QueryMember(
    { type: 'string', pattern: CUSTOMER_CURSOR_PATTERN, ...LIMITED_IN_WORDS },
    '`next_cursor` of the page before, with the same `sort` and days',
  )
  cursor?: string;
  @WordMember(['previous'], `only with days; ${COMPARED}`, LIMITED_IN_WORDS) compare?: 'previous';

  override check(): void {
    super.check();
    const { period, compare, sort } = this;
    if (!period && compare) throw badQuery('compare', 'conflict', 'must not be there without days');
    if (!period && sort === 'window_spend') throw badQuery('sort', 'conflict', 'must be another one without days');
    if (!compare && sort === 'window_fall') throw badQuery('sort', 'conflict', 'must be another one without compare');
  }

  /** Undefined for all wallets. */
  get period(): Period | undefined {
    return this.named;
  }

  get after(): CustomerPlace | undefined {
    return this.cursor === undefined ? undefined : readCustomerCursor(this.sort, this.cursor);
  }
}

export class CustomerWindowView {
  @Is.member('settled payments of these days, by `basis`') spend!: Money;
  @Is.count() paid_calls!: number;
}

/** A wallet that has paid, whatever the days. */
export class PayerView {
  @Is.member('checksummed') wallet!: string;
  @Is.oneOf(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Is.member() lifetime_spend!: Money;
  @Is.count() paid_calls!: number;
  @Is.count() credit_calls!: number;
  @Is.instant() first_payment_at!: string;
  @Is.instant() last_payment_at!: string;
  @Is.member('rebate and change that have not become a credit yet') rebate_accrued!: Money;
  @Is.member('face value of the credits issued') rebate_issued!: Money;
}

export interface CustomerRow extends Stored<PayerView> {
  issued: string;
  redeemed: string;
  outstanding: string;
  /** The value that orders it: an amount, a number, or an instant in microseconds. */
  value: string;
  first_micros: string;
}

/** The last customer of a page: the next one begins behind it. */
interface CustomerPlace extends Pick<CustomerRow, 'wallet' | 'value' | 'first_micros'> {
  rank: number;
}

const micros = (instant: string): string => `(extract(epoch FROM ${instant}) * 1000000)::bigint`;

const COLUMNS = `
  t.wallet, tier, lifetime_micros AS lifetime_spend, t.paid_calls, credit_calls, first_payment_at, last_payment_at,
  rebate_accrued_micros AS rebate_accrued, rebate_issued_micros AS rebate_issued, credits_issued AS issued,
  credits_redeemed AS redeemed, credits_outstanding AS outstanding, ${micros('first_payment_at')} AS first_micros`;

const VALUES: Readonly<Record<CustomerSort, string>> = {
  lifetime_spend: 'lifetime_micros',
  paid_calls: 't.paid_calls',
  last_payment: micros('last_payment_at'),
  window_spend: 'spent.gross',
  window_fall: 'fallen.micros',
};

const spentIn = (paid: string): string =>
  `SELECT wallet, sum(gross)::bigint AS gross FROM (${paid}) paid GROUP BY wallet`;

/**
 * One row more than the page, if there is one.
 * @param span only customers that paid on these days; undefined for all
 * @param comparison undefined where there is nothing to compare with
 */
export function rankCustomers(
  tx: EntityManager,
  { sort, limit, after, basis }: Pick<CustomersQuery, 'sort' | 'limit' | 'after' | 'basis'>,
  span: Span | undefined,
  comparison: Comparison | undefined,
): Promise<CustomerRow[]> {
  const [tables, values] = sort === 'window_fall' ? fallenIn(basis, comparison) : spentOn(basis, span);
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

type Tables = [tables: string, values: unknown[]];

/** The wallets that paid on some days, with the parameters of these. */
function spentOn(basis: Basis, span: Span | undefined): Tables {
  if (!span) return ['wallet_totals t', []];
  return [`wallet_totals t JOIN (${spentIn(payersOf(basis))}) spent USING (wallet)`, spanValues(span)];
}

function fallenIn(basis: Basis, comparison: Comparison | undefined): Tables {
  if (!comparison) return ['wallet_totals t, (SELECT 0 AS micros WHERE false) fallen', []];
  const fallen = `
    SELECT wallet, b.gross - coalesce(c.gross, 0) AS micros
    FROM (${spentIn(payersOf(basis))}) b LEFT JOIN (${spentIn(payersOf(basis, 5))}) c USING (wallet)
    WHERE b.gross > coalesce(c.gross, 0)`;
  const values = [...spanValues(comparison.before), ...spanValues(comparison.current)];
  return [`wallet_totals t JOIN (${fallen}) fallen USING (wallet)`, values];
}

/** What some wallets spent in settled payments; one that paid nothing is missing. */
export async function spentBy(
  tx: EntityManager,
  basis: Basis,
  wallets: readonly string[],
  span: Span,
): Promise<ReadonlyMap<string, CustomerWindowView>> {
  const rows = await tx.query<(Stored<CustomerWindowView> & { wallet: string })[]>(
    `SELECT wallet, sum(gross)::bigint AS spend, sum(paid)::bigint AS paid_calls FROM (${payersOf(basis)}) paid
     WHERE wallet = ANY ($5) GROUP BY wallet`,
    [...spanValues(span), wallets],
  );
  return new Map(rows.map(({ wallet, ...own }) => [wallet, viewOf<CustomerWindowView>(own)]));
}

/** Opaque for callers. One of another order is refused. */
export function customerCursorOf(sort: CustomerSort, { rank, value, first_micros, wallet }: CustomerPlace): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeUInt32BE(rank);
  place.writeBigInt64BE(BigInt(value), 4);
  place.writeBigInt64BE(BigInt(first_micros), 12);
  place.write(wallet.slice(2), 20, 'hex');
  return sealedPlace(listOf(sort), place);
}

function readCustomerCursor(sort: CustomerSort, text: string): CustomerPlace {
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
