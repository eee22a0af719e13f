import { createHash } from 'node:crypto';
import { badQuery } from '../queries/bad-query';

/** The last payment of a page; the next page begins after it. */
export interface PaymentPlace {
  /** Microseconds since 1970 as a decimal: the precision of the database, which a Date does not have. */
  verifiedAtMicros: string;
  id: string;
}

const PLACE_BYTES = 24;
const CHECK_BYTES = 4;
const END_OF_YEAR_9999 = 253_402_300_799_999_999n;

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
