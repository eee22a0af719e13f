import { randomUUID } from 'node:crypto';

/**
 * UUID version 7 (RFC 9562): sorts by creation time.
 * @param at instant of creation; the first 48 bits are its milliseconds
 */
export function uuidv7(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  // The random part, variant included, is that of a version 4: Node draws those from a pool, four times as fast.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
