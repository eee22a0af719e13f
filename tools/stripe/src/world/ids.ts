import { randomFillSync } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const POOL = Buffer.alloc(8_192);
let used = POOL.length;

/** An id as Stripe forms them: the prefix of the kind of object, and letters and digits that say nothing. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomText(length)}`;
}

export function randomText(length: number): string {
  if (used + length > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  let text = '';
  for (const end = used + length; used < end; used += 1) text += LETTERS[POOL[used]! % LETTERS.length]!;
  return text;
}

/** A deep copy of plain data; `structuredClone` takes ten times as long. */
export function copyOf<Data>(data: Data): Data {
  if (Array.isArray(data)) return data.map(copyOf) as Data;
  if (typeof data !== 'object' || data === null) return data;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(data)) copy[name] = copyOf((data as Record<string, unknown>)[name]);
  return copy as Data;
}
