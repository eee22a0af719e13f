const MANY = 256;
const NONE: readonly string[] = [];
const listed = new WeakMap<object, readonly string[]>();

/**
 * The names of the properties of a parsed object, as `Object.keys` lists them. To list ten thousand takes V8 a millisecond
 * every time: they are listed once.
 * @param value an object that is not changed afterwards
 */
export function namesOf(value: object): readonly string[] {
  const known = listed.get(value);
  if (known) return known;
  const names = Object.keys(value);
  if (names.length >= MANY) listed.set(value, names);
  return names;
}

/** Those of its names that are not among the known ones; of most objects V8 passes through them without making a list. */
export function unknownNames(value: object, known: ReadonlySet<string>): readonly string[] {
  const names = listed.get(value);
  if (names) return names.filter((name) => !known.has(name));
  let unknown: string[] | undefined;
  for (const name in value) if (!known.has(name)) (unknown ??= []).push(name);
  return unknown ?? NONE;
}
