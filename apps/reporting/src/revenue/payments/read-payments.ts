import { characterCount, PAID_ENDPOINTS } from '@evenkeel/contracts';
import {
  badQuery,
  CURSOR_SCHEMA,
  cursorOf,
  instantOf,
  type ListPlace,
  readCursor,
} from '@evenkeel/platform/validation';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { QueryMember } from '../../operator-access/query-member';
import { AsOfView, Is } from '../figures/figures';
import { type Basis, COLUMNS } from '../figures/span-rows';
import { instantsOf, type Period, type Window, windowOf } from '../figures/window';
import {
  DAY_SCHEMA,
  BasisMember,
  BasisQuery,
  DaysMember,
  LimitMember,
  NamedDaysQuery,
  readDay,
  WordMember,
} from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import {
  GROUP_CONDITIONS,
  PAYMENT_COLUMNS,
  PAYMENT_GROUPS,
  PAYMENT_STATUSES,
  type PaymentGroup,
  type PaymentRow,
  type PaymentStatus,
  PaymentView,
} from './payment-rows';
import { viewOf } from './row-view';

/** Names of the lists in their cursors: one has places by verification, the other by settlement or failure. */
const LISTS = { call: 'payments', settlement: 'payments-settled' } as const satisfies Record<Basis, string>;

const StatusMember = WordMember(PAYMENT_STATUSES, 'only payments with it');
const WalletMember = QueryMember(
  { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  'only payments of this wallet, in upper or lower case',
  (name, text) => {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) throw badQuery(name, 'bad_format', 'must be 0x and 40 hexadecimal digits');
    return text.toLowerCase();
  },
);

const SHORT_TEXT = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\u0000]+$' };

function shortText(name: string, text: string): string {
  if (text.length === 0) throw badQuery(name, 'too_short', 'must have a character');
  if (characterCount(text) > SHORT_TEXT.maxLength) {
    throw badQuery(name, 'too_long', `must have at most ${SHORT_TEXT.maxLength} characters`);
  }
  // PostgreSQL takes no text with it.
  if (text.includes('\0')) throw badQuery(name, 'bad_format', 'must not have the character NUL');
  return text;
}

export class PaymentsQuery extends NamedDaysQuery {
  @LimitMember limit = 25;
  @QueryMember(
    SHORT_TEXT,
    'only the payments whose id, nonce, transaction hash, wallet or request id begins with it; fewer than 8 characters ' +
      'are a whole request id',
    shortText,
  )
  q?: string;
  @StatusMember status?: PaymentStatus;
  @WordMember(PAYMENT_GROUPS, 'only payments of this group of `reconciliation`') group?: PaymentGroup;
  @QueryMember(SHORT_TEXT, `only payments for this path, such as ${PAID_ENDPOINTS[0]!.path}`, shortText)
  endpoint?: string;
  /** Lower case. */
  @WalletMember wallet?: string;
  @QueryMember(DAY_SCHEMA, 'only payments of this UTC day, from 2000-01-01 on', readDay) day?: string;
  @DaysMember('only payments of the current UTC day and those before it') days?: number;
  /** Of which instant its day and its place are; by settlement only payments that have ended are listed. */
  @BasisMember basis: Basis = 'call';
  @QueryMember(CURSOR_SCHEMA, '`next_cursor` of the page before') cursor?: string;

  get period(): Period | undefined {
    return this.day === undefined ? this.named : { from: this.day, to: this.day };
  }

  get after(): ListPlace | undefined {
    return readCursor(LISTS[this.basis], this.cursor);
  }
}

export class PaymentsFileQuery extends BasisQuery {
  @StatusMember status?: PaymentStatus;
  @WalletMember wallet?: string;
}

export class PaymentsView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @Is.count('payments in this answer') count!: number;
  @Is.listOf(PaymentView, 'newest verification first, by settlement the newest end; ties by id descending')
  payments!: PaymentView[];
  @Is.textOrNull('query `cursor` of the next page; null on the last') next_cursor!: string | null;
}

/** Payments, newest first: any page costs as much as its rows. A cursor of another list is refused. */
export const readPayments: Read<PaymentsQuery, PaymentsView> = async (tx, now, query) => {
  const { limit, basis, period } = query;
  const rows = await readPage(tx, query, period && ('from' in period ? period : windowOf(period, now)));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    limit,
    count: shown.length,
    payments: shown.map(({ at_micros: _, ...row }) => viewOf<PaymentView>(row)),
    next_cursor: last && rows.length > limit ? cursorOf(LISTS[basis], { atMicros: last.at_micros, id: last.id }) : null,
  };
};

type PlacedRow = PaymentRow & { at_micros: string };

/** Reads one row more than the page, to know whether there is another page. */
async function readPage(tx: EntityManager, query: PaymentsQuery, days: Days | undefined): Promise<PlacedRow[]> {
  const { limit, after, basis } = query;
  const { at: placedAt } = COLUMNS[basis];
  const values: unknown[] = [limit + 1];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(query, days, parameter);
  if (after) {
    const at = `${parameter(instantOf(after))}::timestamptz`;
    // Two conditions: the row comparison finds the place, the plain one excludes the partitions of later months.
    conditions.push(`${placedAt} <= ${at}`, `(${placedAt}, id) < (${at}, ${parameter(after.id)}::uuid)`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return tx.query<PlacedRow[]>(
    `SELECT ${PAYMENT_COLUMNS}, (extract(epoch FROM ${placedAt}) * 1000000)::bigint AS at_micros
     FROM payments ${where} ORDER BY ${placedAt} DESC, id DESC LIMIT $1`,
    values,
  );
}

type Days = Pick<Window, 'from' | 'to'>;

function conditionsOf(query: PaymentsQuery, days: Days | undefined, parameter: (value: unknown) => string): string[] {
  const { q, status, group, endpoint, wallet, basis } = query;
  const { at } = COLUMNS[basis];
  const conditions: string[] = basis === 'settlement' ? [`${at} IS NOT NULL`] : [];
  if (q !== undefined) conditions.push(isNamed(q, parameter));
  if (status) conditions.push(`status = ${parameter(status)}`);
  if (group) conditions.push(GROUP_CONDITIONS[group]);
  if (endpoint !== undefined) conditions.push(`endpoint = ${parameter(endpoint)}`);
  if (wallet !== undefined) conditions.push(`wallet = ${parameter(wallet)}`);
  if (days) {
    const [begin, end] = instantsOf(days);
    conditions.push(`${at} >= ${parameter(begin)}::timestamptz`, `${at} < ${parameter(end)}::timestamptz`);
  }
  return conditions;
}

const UUID = '00000000-0000-0000-0000-000000000000';

/** A text that is shorter finds what is exactly it: too many payments begin with it. */
const LEAST_BEGINNING = 8;

/** Comes after every text that begins with the one before it. */
const LAST_CHARACTER = '\u{10ffff}';

/** Only columns whose values look like the text, or begin like it: each is one look into an index. */
function isNamed(text: string, parameter: (value: unknown) => string): string {
  const begins = (column: string, beginning: string): string =>
    `(${column} ~>=~ ${parameter(beginning)} AND ${column} ~<~ ${parameter(beginning + LAST_CHARACTER)})`;
  const lower = text.toLowerCase();
  if (text.length < LEAST_BEGINNING) return `request_id = ${parameter(text)}`;
  // An agent may choose it, so that it may look like any of the others.
  const requests = begins('request_id', text);
  if (/^0x[0-9a-f]{6,64}$/.test(lower)) {
    const columns =
      lower.length > WALLET_LENGTH ? ['nonce', 'transaction_hash'] : ['wallet', 'nonce', 'transaction_hash'];
    return `(${[...columns.map((column) => begins(column, lower)), requests].join(' OR ')})`;
  }
  if (!isBeginningOfUuid(lower)) return requests;
  const [first, last] = [lower + UUID.slice(lower.length), lower + UUID.replaceAll('0', 'f').slice(lower.length)];
  return `(id BETWEEN ${parameter(first)}::uuid AND ${parameter(last)}::uuid OR ${requests})`;
}

const WALLET_LENGTH = 42;

function isBeginningOfUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text + UUID.slice(text.length));
}
