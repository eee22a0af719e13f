import { isAscii, isUtf8 } from 'node:buffer';
import { MalformedJson } from './body-encoding';
import { MAX_ISSUES, Place, ValidationFailed, type IssueCode, type ValidationIssue } from './validation-issue';

/** Values of all kinds in one body: objects, arrays and scalars, not keys. A route may allow another number. */
export const MAX_NODES = 10_000;
/** Nested deeper than this, a body is refused before anything else looks into it. */
export const MAX_DEPTH = 32;

/**
 * The value of a body, guarded: UTF-8 only, at most 32 levels and 10,000 values; no key `__proto__`, `constructor` or
 * `hasOwnProperty`, no NUL, no half surrogate pair, no number beyond a double, at any depth.
 * @throws MalformedJson, ValidationFailed
 */
export function parseJson(bytes: Buffer, maxNodes = MAX_NODES): unknown {
  const text = decoded(bytes);
  assertBounded(bytes, maxNodes);
  const value = parsed(text);
  const { issues } = new Guard().look(value);
  if (issues.length > 0) throw new ValidationFailed(issues);
  return value;
}

function decoded(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1'); // several times faster, the usual case
  if (!isUtf8(bytes)) throw new MalformedJson('The body is not valid UTF-8.');
  return bytes.toString('utf8');
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts before anything is made of the bytes: of deep nesting the parser makes 50 MB out of one. What is not JSON may be
 * counted wrongly, it will not parse.
 */
function assertBounded(bytes: Buffer, maxNodes: number): void {
  let depth = 0;
  let nodes = 1;
  let isOpened = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte <= 0x20) continue;
    const wasOpened = isOpened;
    isOpened = byte === OPEN_LIST || byte === OPEN_OBJECT;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) nodes++;
    else if (isOpened) {
      nodes++; // its first child, taken back where there is none
      if (++depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
      if (wasOpened) nodes--;
    }
  }
  if (nodes > maxNodes) throw new MalformedJson(`The body holds more than ${maxNodes} values.`);
}

/** @param at of its first quote @returns that of its last */
function endOfText(bytes: Buffer, at: number): number {
  for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
  return at;
}

/** The message is ours: the parser's quotes the body. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJson();
  }
}

/** NUL, and halves of pairs that are not whole. */
const UNSAFE = /[\0\ud800-\udfff]/u;
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'hasOwnProperty']);

/** Finds what is legal JSON and breaks what comes after: object merges, PostgreSQL, canonical JSON. */
class Guard {
  /** The first 100. */
  readonly issues: ValidationIssue[] = [];

  look(value: unknown, holder?: Place, key: string | number = ''): this {
    if (typeof value === 'string') this.lookAtText(value, holder, key);
    else if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.add(holder, key, 'out_of_range', 'must fit a double-precision number');
    } else if (typeof value === 'object' && value !== null) this.lookInside(value, placeOf(holder, key));
    return this;
  }

  private lookInside(value: object, place: Place): void {
    if (Array.isArray(value)) return value.forEach((item, index) => void this.look(item, place, index));
    for (const name of Object.keys(value)) {
      if (PROTOTYPE_KEYS.has(name)) this.add(place, name, 'unknown_property', 'is never accepted');
      else {
        this.lookAtText(name, place, name);
        this.look((value as Record<string, unknown>)[name], place, name);
      }
    }
  }

  private lookAtText(text: string, holder: Place | undefined, key: string | number): void {
    if (!UNSAFE.test(text)) return;
    const part = text.includes('\0') ? 'the character NUL' : 'half a surrogate pair';
    this.add(holder, key, 'bad_format', `must not contain ${part}`);
  }

  private add(holder: Place | undefined, key: string | number, code: IssueCode, message: string): void {
    if (this.issues.length < MAX_ISSUES) this.issues.push({ path: placeOf(holder, key).path, code, message });
  }
}

function placeOf(holder: Place | undefined, key: string | number): Place {
  return holder?.below(key) ?? Place.WHOLE_BODY;
}
