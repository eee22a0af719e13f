import { randomUUID } from 'node:crypto';

let stampedMs = -1;
let stamp = '';

/**
 * UUID version 7 (RFC 9562): sorts by creation time.
 * @param at instant of creation; the first 48 bits are its milliseconds
 */
export function uuidv7(at: Date): string {
  // The random part, variant included, is that of a version 4: Node draws those from a pool, four times as fast.
  return stampOf(at.getTime()) + randomUUID().slice(15);
}

/** Everything before the random part, formatted once a millisecond: one request may need six identifiers. */
function stampOf(ms: number): string {
  if (ms !== stampedMs) {
    const time = ms.toString(16).padStart(12, '0');
    stamp = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    stampedMs = ms;
  }
  return stamp;
}
