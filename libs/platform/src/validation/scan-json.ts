import { MalformedJson } from './malformed-json';

/** Nested deeper than this, a body is refused before anything recursive sees it. */
export const MAX_DEPTH = 32;
/** Values of all kinds in one body: objects, arrays and scalars, not keys. */
export const MAX_NODES = 10_000;

/** No double has more digits before its point; a number as long as this may be infinite. */
const LONG_NUMBER = 300;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Reads the raw bytes once, without recursion. What it says of bytes that are not JSON does not matter: they will not parse.
 * @returns whether the parsed value must be searched for what may not be in it: a key that reaches for the prototype, a
 *   `\u` escape (the only way to NUL and to half a character in valid UTF-8), a number too large for a double
 * @throws MalformedJson when it is too deep or has too many values
 */
export function scanJson(bytes: Uint8Array): boolean {
  let doubtful = false;
  let depth = 0;
  let nodes = 1;
  let previous = 0;
  let structureAt = 0;

  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte <= 0x20) continue;
    switch (byte) {
      case QUOTE: {
        const start = ++i;
        for (; i < bytes.length && bytes[i] !== QUOTE; i++) {
          if (bytes[i] === BACKSLASH && bytes[++i] === LOWER_U) doubtful = true;
        }
        doubtful ||= mayReachForPrototype(bytes[start]!, i - start);
        structureAt = i;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        nodes++; // its first child, taken back when there is none
        if (++depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
        structureAt = i;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (previous === OPEN_BRACE || previous === OPEN_BRACKET) nodes--;
        depth--;
        doubtful ||= i - structureAt > LONG_NUMBER;
        structureAt = i;
        break;
      case COMMA:
        nodes++;
        doubtful ||= i - structureAt > LONG_NUMBER;
        structureAt = i;
        break;
      default:
        doubtful ||= (byte | 0x20) === LOWER_E && previous >= 0x30 && previous <= 0x39;
    }
    previous = byte;
  }
  if (nodes > MAX_NODES) throw new MalformedJson(`The body holds more than ${MAX_NODES} values.`);
  return doubtful || bytes.length - structureAt > LONG_NUMBER;
}

/** `__proto__`, `constructor` and `hasOwnProperty`, by their first letter and their length. */
function mayReachForPrototype(first: number, length: number): boolean {
  return (length === 9 && first === 0x5f) || (length === 11 && first === 0x63) || (length === 14 && first === 0x68);
}
