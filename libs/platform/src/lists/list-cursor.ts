import { createHash } from 'node:crypto';
import { LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { badQuery } from './query-values';

/** The last row of a page of a list that is ordered by instant and id; the next page begins after it. */
export interface ListPlace {
  /** Microseconds since 1970 as a decimal: the precision of the database, which a Date does not have. */
  atMicros: string;
  id: string;
}

const PLACE_BYTES = 24;
const CHECK_BYTES = 4;

/** The form of every cursor, for documents. */
export const CURSOR_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9_-]{38}$', ...LIMITED_IN_WORDS } as const;

const END_OF_YEAR_9999 = 253_402_300_799_999_999n;

/**
 * Opaque for callers: its content may change, and a cursor of another list or of another origin is refused.
 * @param list name of the list
 */
export function cursorOf(list: string, { atMicros, id }: ListPlace): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeBigInt64BE(BigInt(atMicros));
  place.write(id.replaceAll('-', ''), 8, 'hex');
  return Buffer.concat([place, checkOf(list, place)]).toString('base64url');
}

/**
 * @param text the query parameter `cursor`
 * @throws ValidationFailed unless it is a cursor of the list
 */
export function readCursor(list: string, text: unknown): ListPlace | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
  const place = bytes.subarray(0, PLACE_BYTES);
  const isWhole =
    bytes.length === PLACE_BYTES + CHECK_BYTES &&
    bytes.toString('base64url') === text &&
    bytes.subarray(PLACE_BYTES).equals(checkOf(list, place));
  const micros = isWhole ? place.readBigInt64BE() : -1n;
  if (micros < 0n || micros > END_OF_YEAR_9999)
    throw badQuery('cursor', 'bad_format', 'must be the next_cursor of an earlier answer');
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(place.toString('hex', 8))!;
  return { atMicros: String(micros), id: parts.join('-') };
}

/** @returns the instant as PostgreSQL reads it, to the microsecond */
export function instantOf({ atMicros }: ListPlace): string {
  const [milliseconds, rest] = [BigInt(atMicros) / 1_000n, BigInt(atMicros) % 1_000n];
  return new Date(Number(milliseconds)).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

function checkOf(list: string, place: Buffer): Buffer {
  return createHash('sha256').update(list).update(place).digest().subarray(0, CHECK_BYTES);
}
