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
  return sealedPlace(list, place);
}

/**
 * @param text the query parameter `cursor`
 * @throws ValidationFailed unless it is a cursor of the list
 */
export function readCursor(list: string, text: unknown): ListPlace | undefined {
  if (text === undefined) return undefined;
  const place = openedPlace(list, text, PLACE_BYTES);
  const atMicros = microsAt(place, 0);
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(place.toString('hex', 8))!;
  return { atMicros, id: parts.join('-') };
}

/** A cursor of a list with places of its own form: the bytes of one, with a check sum of them and of the list's name. */
export function sealedPlace(list: string, place: Buffer): string {
  return Buffer.concat([place, checkOf(list, place)]).toString('base64url');
}

/**
 * @param text the query parameter `cursor`
 * @param size of a place, in bytes
 * @throws ValidationFailed unless it is a cursor of the list
 */
export function openedPlace(list: string, text: unknown, size: number): Buffer {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
  const place = bytes.subarray(0, size);
  const isWhole =
    bytes.length === size + CHECK_BYTES &&
    bytes.toString('base64url') === text &&
    bytes.subarray(size).equals(checkOf(list, place));
  if (!isWhole) throw badCursor();
  return place;
}

/**
 * Eight bytes of a place: an instant, or an amount.
 * @throws ValidationFailed for an instant that PostgreSQL would not read
 */
export function microsAt(place: Buffer, offset: number): string {
  const micros = place.readBigInt64BE(offset);
  if (micros < 0n || micros > END_OF_YEAR_9999) throw badCursor();
  return String(micros);
}

/** @returns the instant as PostgreSQL reads it, to the microsecond */
export function instantOf({ atMicros }: Pick<ListPlace, 'atMicros'>): string {
  const [milliseconds, rest] = [BigInt(atMicros) / 1_000n, BigInt(atMicros) % 1_000n];
  return new Date(Number(milliseconds)).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** The refusal of what is no cursor of ours. */
export function badCursor(): Error {
  return badQuery('cursor', 'bad_format', 'must be the next_cursor of an earlier answer');
}

function checkOf(list: string, place: Buffer): Buffer {
  return createHash('sha256').update(list).update(place).digest().subarray(0, CHECK_BYTES);
}
