import { MalformedJson } from './malformed-json';

/** Nested deeper than this, a body is refused before anything recursive sees it. */
export const MAX_DEPTH = 32;
/** Values of all kinds in one body: objects, arrays and scalars, not keys. */
export const MAX_NODES = 10_000;

/** No double has more digits before its point; a number as long as this may be infinite. */
const LONG_NUMBER = 300;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** What a byte outside a string may mean; 0 for the most, which mean nothing here. */
enum Kind {
  Quote = 1,
  Open,
  Close,
  Comma,
  Exponent,
}
const KIND = new Uint8Array(256);
for (const [characters, kind] of [
  ['"', Kind.Quote],
  ['{[', Kind.Open],
  ['}]', Kind.Close],
  [',', Kind.Comma],
  ['eE', Kind.Exponent],
] as const) {
  for (const byte of Buffer.from(characters)) KIND[byte] = kind;
}

/**
 * Reads the raw bytes once, without recursion. What it says of bytes that are not JSON does not matter: they will not parse.
 * @returns whether the parsed value must be searched for what may not be in it: a key that reaches for the prototype, a
 *   `\u` escape (the only way to NUL and to half a character in valid UTF-8), a number too large for a double
 * @throws MalformedJson when it is too deep or has too many values
 */
export function scanJson(bytes: Uint8Array): boolean {
  const { length } = bytes;
  let doubtful = false;
  let depth = 0;
  let nodes = 1;
  let openedAt = -1;
  let structureAt = 0;

  for (let i = 0; i < length; i++) {
    const kind = KIND[bytes[i]!];
    if (kind === 0) continue;
    if (kind === Kind.Exponent) {
      doubtful ||= isDigit(bytes[i - 1]!);
      continue;
    }
    if (kind === Kind.Quote) {
      const start = ++i;
      for (; i < length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH && bytes[++i] === LOWER_U) doubtful = true;
      }
      doubtful ||= mayReachForPrototype(bytes[start]!, i - start);
    } else if (kind === Kind.Open) {
      nodes++; // its first child, taken back when there is none
      if (++depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      openedAt = i;
    } else {
      doubtful ||= i - structureAt > LONG_NUMBER;
      if (kind === Kind.Comma) nodes++;
      else {
        if (structureAt === openedAt && isBlank(bytes, openedAt + 1, i)) nodes--;
        depth--;
      }
    }
    structureAt = i;
  }
  if (nodes > MAX_NODES) throw new MalformedJson(`The body holds more than ${MAX_NODES} values.`);
  return doubtful || length - structureAt > LONG_NUMBER;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! > 0x20) return false;
  return true;
}

/** `__proto__`, `constructor` and `hasOwnProperty`, by their first letter and their length. */
function mayReachForPrototype(first: number, length: number): boolean {
  return (length === 9 && first === 0x5f) || (length === 11 && first === 0x63) || (length === 14 && first === 0x68);
}
