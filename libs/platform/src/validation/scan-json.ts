import { MalformedJson } from './body-encoding';

/** Nested deeper than this, a body is refused before anything recursive sees it. */
export const MAX_DEPTH = 32;
/** The ends of the keys that reach for the prototype: their beginnings are those of many other words. */
const PROTOTYPE_KEY = /proto__|structor|OwnProperty/;
/** Without so large an exponent only digits by the hundred go beyond a double. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;

/** Two hundred digits in a row cover eight of the places looked at. */
const LOOK_EVERY = 25;
const LOOKS_AT_LONG_NUMBER = 8;

/**
 * Whether a text clearly holds nothing that `scan` looks for. Most bodies do, and native searches tell in a third of
 * its time; of any other body it says nothing.
 */
export function isPlain(text: string, maxNodes: number): boolean {
  return (
    text.length < 2 * maxNodes && // a value and its comma
    !text.includes('\\') &&
    openings(text, '{') + openings(text, '[') <= MAX_DEPTH &&
    !LARGE_EXPONENT.test(text) &&
    !PROTOTYPE_KEY.test(text) &&
    !mayHoldLongNumber(text)
  );
}

/** How often a bracket occurs, in strings too; counted no further than matters. */
function openings(text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count++;
  return count;
}

function mayHoldLongNumber(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length && digits < LOOKS_AT_LONG_NUMBER; at += LOOK_EVERY) {
    digits = isDigit(text.charCodeAt(at)) ? digits + 1 : 0;
  }
  return digits === LOOKS_AT_LONG_NUMBER;
}

/** Digits before the point, exponent included, that every double has room for. */
const SURE_DIGITS = 308;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COLON = 0x3a;
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
 * @returns whether they hold what may not be in a body: a key that reaches for the prototype, NUL or half a character (only
 *   escapes spell them in valid UTF-8), a number too large for a double
 * @throws MalformedJson when it is too deep or has too many values
 */
export function scan(bytes: Buffer, maxNodes: number): boolean {
  const { length } = bytes;
  let isUnsafe = false;
  let depth = 0;
  let nodes = 1;
  let openedAt = -1;
  let structureAt = -1;
  let mayBeInfinite = false;

  for (let i = 0; i < length; i++) {
    const kind = KIND[bytes[i]!];
    if (kind === 0) continue;
    if (kind === Kind.Exponent) {
      mayBeInfinite ||= i - structureAt + exponentAfter(bytes, i) > SURE_DIGITS;
      continue;
    }
    if (kind === Kind.Quote) {
      const start = ++i;
      let hasEscape = false;
      for (; i < length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] !== BACKSLASH) continue;
        hasEscape = true;
        if (bytes[++i] !== LOWER_U) continue;
        const unit = escapedUnit(bytes, i);
        if (isHighSurrogate(unit) && isLowSurrogate(unitAfter(bytes, i))) i += ESCAPE_BYTES;
        else isUnsafe ||= unit === 0 || isHighSurrogate(unit) || isLowSurrogate(unit);
      }
      isUnsafe ||= spellsPrototypeKey(bytes, start, i, hasEscape) && isFollowedByColon(bytes, i);
    } else {
      if (mayBeInfinite || i - structureAt > SURE_DIGITS) isUnsafe ||= isInfinite(bytes, structureAt + 1, i);
      mayBeInfinite = false;
      if (kind === Kind.Comma) nodes++;
      else if (kind === Kind.Open) {
        nodes++; // its first child, taken back when there is none
        if (++depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
        openedAt = i;
      } else {
        if (structureAt === openedAt && isBlank(bytes, openedAt + 1, i)) nodes--;
        depth--;
      }
    }
    structureAt = i;
  }
  if (nodes > maxNodes) throw new MalformedJson(`The body holds more than ${maxNodes} values.`);
  return isUnsafe || isInfinite(bytes, structureAt + 1, length);
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! > 0x20) return false;
  return true;
}

/** @param at of a closing quote */
function isFollowedByColon(bytes: Uint8Array, at: number): boolean {
  do at++;
  while (bytes[at]! <= 0x20);
  return bytes[at] === COLON;
}

/** The exponent that begins with this letter, counted no further than matters; 0 where it is negative. */
function exponentAfter(bytes: Uint8Array, at: number): number {
  let exponent = 0;
  if (bytes[at + 1] === PLUS) at++;
  while (isDigit(bytes[++at]) && exponent <= SURE_DIGITS) exponent = exponent * 10 + bytes[at]! - 0x30;
  return exponent;
}

/** Whether what stands there, after the colon if it is a member, is a number beyond a double. */
function isInfinite(bytes: Buffer, from: number, to: number): boolean {
  const text = bytes.toString('latin1', from, to);
  return Math.abs(Number(text.slice(text.indexOf(':') + 1))) === Infinity;
}

/** Bytes of an escape such as `\u0041`. */
const ESCAPE_BYTES = 6;
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = parseInt(digit, 16);

/** @param at of the `u` of an escape @returns the code unit that its four digits spell */
function escapedUnit(bytes: Uint8Array, at: number): number {
  return (
    (HEX[bytes[at + 1]!]! << 12) | (HEX[bytes[at + 2]!]! << 8) | (HEX[bytes[at + 3]!]! << 4) | HEX[bytes[at + 4]!]!
  );
}

/** The code unit of the escape that follows at once; 0 where none does. */
function unitAfter(bytes: Uint8Array, at: number): number {
  const next = at + ESCAPE_BYTES;
  return bytes[next - 1] === BACKSLASH && bytes[next] === LOWER_U ? escapedUnit(bytes, next) : 0;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const PROTOTYPE = Buffer.from('__proto__');
const CONSTRUCTOR = Buffer.from('constructor');
const OWN_PROPERTY = Buffer.from('hasOwnProperty');

function spellsPrototypeKey(bytes: Uint8Array, start: number, end: number, hasEscape: boolean): boolean {
  if (!hasEscape && !mayReachForPrototype(bytes[start]!, end - start)) return false;
  return (
    spells(bytes, start, end, PROTOTYPE) ||
    spells(bytes, start, end, CONSTRUCTOR) ||
    spells(bytes, start, end, OWN_PROPERTY)
  );
}

/** Whether a string between these places is the name, with or without escapes. */
function spells(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  let at = start;
  for (let letter = 0; letter < name.length; letter++) {
    const isEscape = bytes[at] === BACKSLASH && bytes[at + 1] === LOWER_U;
    if ((isEscape ? escapedUnit(bytes, at + 1) : bytes[at]) !== name[letter]) return false;
    at += isEscape ? ESCAPE_BYTES : 1;
  }
  return at === end;
}

/** `__proto__`, `constructor` and `hasOwnProperty`, by their first letter and their length. */
export function mayReachForPrototype(first: number, length: number): boolean {
  return (length === 9 && first === 0x5f) || (length === 11 && first === 0x63) || (length === 14 && first === 0x68);
}
