/**
 * Members of the provider's objects. Events come in the version of the API that the endpoint at the provider has, which
 * is not always ours, so nothing is taken for granted: what is missing, null or of another type reads as null.
 */
export type ProviderObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is ProviderObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(from: unknown, ...path: readonly string[]): ProviderObject | null {
  const found = memberAt(from, path);
  return isObject(found) ? found : null;
}

/** NUL and halves of surrogate pairs, which PostgreSQL does not store. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** A text of at least one and at most 500 characters that can be stored. */
export function textAt(from: unknown, ...path: readonly string[]): string | null {
  const found = memberAt(from, path);
  return typeof found === 'string' && found !== '' && found.length <= 500 && !UNSTORABLE.test(found) ? found : null;
}

/** The provider promises at most 255 characters; more would not fit an index. */
const ID = /^[\w-]{1,255}$/;

/** The id of what is named there, expanded or not. */
export function idAt(from: unknown, ...path: readonly string[]): string | null {
  const found = textAt(from, ...path) ?? textAt(from, ...path, 'id');
  return found !== null && ID.test(found) ? found : null;
}

/** A safe integer, negative ones too. */
export function integerAt(from: unknown, ...path: readonly string[]): number | null {
  const found = memberAt(from, path);
  return Number.isSafeInteger(found) ? (found as number) : null;
}

/** More in micro-USD would be no safe integer. */
const MOST_CENTS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

/** An amount of money: a whole number of cents from 0, small enough for micro-USD. */
export function centsAt(from: unknown, ...path: readonly string[]): number | null {
  const cents = integerAt(from, ...path);
  return cents !== null && cents >= 0 && cents <= MOST_CENTS ? cents : null;
}

/** The first and the last second that are taken for an instant: 1970 and the end of 9999. */
const LAST_SECOND = 253_402_300_799;

/** Seconds since 1970 as ISO 8601. */
export function instantAt(from: unknown, ...path: readonly string[]): string | null {
  const seconds = integerAt(from, ...path);
  return seconds !== null && seconds >= 0 && seconds <= LAST_SECOND ? new Date(seconds * 1_000).toISOString() : null;
}

/** The items of a list, as an array or as a page `{data: […]}`; only objects. */
export function listAt(from: unknown, ...path: readonly string[]): ProviderObject[] {
  const found = memberAt(from, path);
  const items = isObject(found) ? found['data'] : found;
  return Array.isArray(items) ? items.filter(isObject) : [];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The user whom we named in the metadata of an object. */
export function userIdAt(from: unknown, ...path: readonly string[]): string | null {
  const found = textAt(from, ...path)?.toLowerCase();
  return found !== undefined && UUID.test(found) ? found : null;
}

/** `a: 1 here, 2 there` for each member of `theirs` that differs; empty when none does. */
export function differing(ours: object, theirs: object): string {
  const members = Object.entries(theirs).flatMap(([name, there]: [string, unknown]) => {
    const here = (ours as Record<string, unknown>)[name];
    return here === there ? [] : [`${name}: ${String(here)} here, ${String(there)} there`];
  });
  return members.join('; ');
}

function memberAt(from: unknown, path: readonly string[]): unknown {
  let found = from;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}
