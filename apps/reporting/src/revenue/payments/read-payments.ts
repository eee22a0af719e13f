import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { badQuery } from '../queries/queries';
import { RevenueSnapshot } from '../revenue-snapshot';
import { PAYMENT_COLUMNS, type PaymentRow, type PaymentStatus, paymentView } from './payment-rows';
import type { PaymentsView } from './payments.view';

/** The last payment of a page; the next page begins after it. */
interface PaymentPlace {
  /** Microseconds since 1970 as a decimal: the precision of the database, which a Date does not have. */
  verifiedAtMicros: string;
  id: string;
}

const PLACE_BYTES = 24;
const CHECK_BYTES = 4;
const END_OF_YEAR_9999 = 253_402_300_799_999_999n;

interface PaymentsPage {
  limit: number;
  status?: PaymentStatus;
  after?: PaymentPlace;
}

/** Payments, newest first: a page costs its rows, wherever it begins. */
@Injectable()
export class ReadPayments {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  async execute(page: PaymentsPage): Promise<PaymentsView> {
    return this.snapshot.read(async (tx) => {
      const rows = await readPage(tx, page);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      const hasMore = rows.length > page.limit;
      return {
        limit: page.limit,
        count: shown.length,
        payments: shown.map(paymentView),
        next_cursor: hasMore && last ? cursorOf({ verifiedAtMicros: last.verified_at_micros, id: last.id }) : null,
      };
    });
  }
}

/** One row more than is shown tells whether there is another page. */
async function readPage(tx: EntityManager, { limit, status, after }: PaymentsPage): Promise<PaymentRow[]> {
  const values: unknown[] = [limit + 1];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [];
  if (status) conditions.push(`status = ${parameter(status)}`);
  if (after) {
    const at = `${parameter(instantOf(after.verifiedAtMicros))}::timestamptz`;
    // Said twice: the row comparison finds the place, the plain one leaves out the months after it.
    conditions.push(`verified_at <= ${at}`, `(verified_at, id) < (${at}, ${parameter(after.id)}::uuid)`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return tx.query<PaymentRow[]>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments ${where} ORDER BY verified_at DESC, id DESC LIMIT $1`,
    values,
  );
}

function instantOf(micros: string): string {
  const [milliseconds, rest] = [BigInt(micros) / 1_000n, BigInt(micros) % 1_000n];
  return new Date(Number(milliseconds)).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** Opaque for callers: what stands in it may change, and a cursor that is not ours is refused rather than guessed at. */
export function cursorOf({ verifiedAtMicros, id }: PaymentPlace): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeBigInt64BE(BigInt(verifiedAtMicros));
  place.write(id.replaceAll('-', ''), 8, 'hex');
  return Buffer.concat([place, checkOf(place)]).toString('base64url');
}

/** @throws ValidationFailed for what is no cursor of ours */
export function readCursor(text: unknown): PaymentPlace | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
  const place = bytes.subarray(0, PLACE_BYTES);
  const isWhole =
    bytes.length === PLACE_BYTES + CHECK_BYTES &&
    bytes.toString('base64url') === text &&
    bytes.subarray(PLACE_BYTES).equals(checkOf(place));
  const micros = isWhole ? place.readBigInt64BE() : -1n;
  if (micros < 0n || micros > END_OF_YEAR_9999)
    throw badQuery('cursor', 'bad_format', 'must be the next_cursor of an earlier answer');
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(place.toString('hex', 8))!;
  return { verifiedAtMicros: String(micros), id: parts.join('-') };
}

function checkOf(place: Buffer): Buffer {
  return createHash('sha256').update('payments').update(place).digest().subarray(0, CHECK_BYTES);
}
