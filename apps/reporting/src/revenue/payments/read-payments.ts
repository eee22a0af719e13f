import { Clock } from '@evenkeel/kernel';
import { cursorOf, instantOf, type ListPlace } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { AsOfView } from '../figures/figures';
import { type Basis, COLUMNS } from '../figures/basis';
import { type Period, windowOf } from '../figures/window';
import { RevenueSnapshot } from '../revenue-snapshot';
import { GROUP_CONDITIONS, type PaymentGroup } from './payment-groups';
import { PAYMENT_COLUMNS, type PaymentRow, type PaymentStatus, paymentView, PaymentView } from './payment-rows';

export class PaymentsView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'payments in this answer' }) count!: number;
  @ApiProperty({
    type: [PaymentView],
    description: 'newest verification first, by settlement the newest end; ties by id descending',
  })
  payments!: PaymentView[];
  @ApiProperty({ nullable: true, type: String, description: 'query `cursor` of the next page; null on the last' })
  next_cursor!: string | null;
}

/** Names of the lists in their cursors: one has places by verification, the other by settlement or failure. */
export const PAYMENTS = { call: 'payments', settlement: 'payments-settled' } as const satisfies Record<Basis, string>;

interface PaymentsPage {
  limit: number;
  /** One of the names of a payment, or its beginning. */
  search?: string;
  status?: PaymentStatus;
  group?: PaymentGroup;
  endpoint?: string;
  /** Lower case. */
  wallet?: string;
  /** Which instant of a payment its day and its place are of; by settlement only those that have ended are listed. */
  basis: Basis;
  days?: Period;
  after?: ListPlace;
}

/** Payments, newest first: any page costs as much as its rows. */
@Injectable()
export class ReadPayments {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a month that has not begun */
  async execute({ days, ...rest }: PaymentsPage): Promise<PaymentsView> {
    const page = { ...rest, days: days && ('from' in days ? days : windowOf(days, this.clock.now())) };
    return this.snapshot.read(async (tx) => {
      const rows = await readPage(tx, page);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      const hasMore = rows.length > page.limit;
      return {
        limit: page.limit,
        count: shown.length,
        payments: shown.map(paymentView),
        next_cursor: hasMore && last ? cursorOf(PAYMENTS[page.basis], { atMicros: last.at_micros, id: last.id }) : null,
      };
    });
  }
}

type PlacedRow = PaymentRow & { at_micros: string };

/** Reads one row more than the page, to know whether there is another page. */
async function readPage(
  tx: EntityManager,
  { limit, after, ...filters }: Filters & Pick<PaymentsPage, 'limit' | 'after'>,
): Promise<PlacedRow[]> {
  const { at: placedAt } = COLUMNS[filters.basis];
  const values: unknown[] = [limit + 1];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(filters, parameter);
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

type Filters = Omit<PaymentsPage, 'limit' | 'after' | 'days'> & { days: { from: string; to: string } | undefined };

function conditionsOf(filters: Filters, parameter: (value: unknown) => string): string[] {
  const { search, status, group, endpoint, wallet, basis, days } = filters;
  const { at } = COLUMNS[basis];
  const conditions: string[] = basis === 'settlement' ? [`${at} IS NOT NULL`] : [];
  if (search !== undefined) conditions.push(isNamed(search, parameter));
  if (status) conditions.push(`status = ${parameter(status)}`);
  if (group) conditions.push(GROUP_CONDITIONS[group]);
  if (endpoint !== undefined) conditions.push(`endpoint = ${parameter(endpoint)}`);
  if (wallet !== undefined) conditions.push(`wallet = ${parameter(wallet)}`);
  if (days) {
    conditions.push(`${at} >= ${parameter(`${days.from}T00:00:00Z`)}::timestamptz`);
    conditions.push(`${at} < ${parameter(`${days.to}T00:00:00Z`)}::timestamptz + interval '24 hours'`);
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
  if (/^0x[0-9a-f]{6,64}$/.test(lower)) {
    const columns =
      lower.length > WALLET_LENGTH ? ['nonce', 'transaction_hash'] : ['wallet', 'nonce', 'transaction_hash'];
    return `(${columns.map((column) => begins(column, lower)).join(' OR ')})`;
  }
  const requests = begins('request_id', text);
  if (!isBeginningOfUuid(lower)) return requests;
  const [first, last] = [lower + UUID.slice(lower.length), lower + UUID.replaceAll('0', 'f').slice(lower.length)];
  return `(id BETWEEN ${parameter(first)}::uuid AND ${parameter(last)}::uuid OR ${requests})`;
}

const WALLET_LENGTH = 42;

function isBeginningOfUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text + UUID.slice(text.length));
}
