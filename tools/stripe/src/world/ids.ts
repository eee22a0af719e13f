import { randomBytes } from 'node:crypto';

/** An id as Stripe forms them: the prefix of the kind of object, and letters and digits that say nothing. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomBytes(length)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, 'A')
    .slice(0, length)}`;
}

/** A deep copy of plain data; `structuredClone` takes ten times as long. */
export function copyOf<Data>(data: Data): Data {
  if (Array.isArray(data)) return data.map(copyOf) as Data;
  if (typeof data !== 'object' || data === null) return data;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(data)) copy[name] = copyOf((data as Record<string, unknown>)[name]);
  return copy as Data;
}
