/** Printable ASCII that JSON writes as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Canonical JSON (RFC 8785) of a value that came from JSON. On the path of every paid call, hence by hand: the package
 * takes twice as long.
 * @param spelled what stands for a text value; not asked for the names of members
 * @throws RangeError for a number that is not finite: JSON cannot write what it spells as 1e999
 */
export function canonicalJson(value: unknown, spelled: (text: string) => string = asItIs): string {
  if (typeof value === 'string') return quoted(spelled(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number is too large');
  if (typeof value !== 'object' || value === null) return String(value);
  let inner = '';
  if (Array.isArray(value)) {
    for (const item of value) inner += `${inner === '' ? '' : ','}${canonicalJson(item, spelled)}`;
    return `[${inner}]`;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members).sort()) {
    inner += `${inner === '' ? '' : ','}${quoted(name)}:${canonicalJson(members[name], spelled)}`;
  }
  return `{${inner}}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function asItIs(text: string): string {
  return text;
}
