import { isAscii, isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { DomainError } from '@evenkeel/kernel';
import { PayloadTooLarge, UnsupportedMediaType } from '../http/http-errors';
import { namesOf } from './names-of';
import { MAX_ISSUES, Place, ValidationFailed, type IssueCode, type ValidationIssue } from './validation-issue';

/** Nested deeper than this, a body is refused before anything recursive sees it. */
export const MAX_DEPTH = 32;
/** Values of all kinds in one body: objects, arrays and scalars, not keys. A route may allow another number. */
export const MAX_NODES = 10_000;

export class MalformedJson extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'malformed_json';
  constructor(message = 'The body is not valid JSON.') {
    super(message);
  }
}

const PARAMETER = /^\s*([^=\s]+)=(?:"([^"]*)"|([^"\s]*))\s*$/;

/**
 * A body must be `application/json`, in UTF-8 where it names a charset; without a content type it is taken for JSON (D-10).
 * @throws UnsupportedMediaType
 */
export function assertJsonContentType(contentType: string | undefined): void {
  if (contentType === undefined || contentType === 'application/json') return;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json' || !parameters.every(isAcceptable)) throw new UnsupportedMediaType();
}

function isAcceptable(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
  return name !== undefined && (name !== 'charset' || (quoted ?? plain) === 'utf-8');
}

/**
 * The body as its sender wrote it. gzip alone is undone; the cap counts what comes out of it, so that a small bomb
 * is refused while it is still small.
 * @throws PayloadTooLarge, UnsupportedMediaType (another encoding), MalformedJson (broken gzip)
 */
export function inflateBody(bytes: Buffer, contentEncoding: string | undefined, maxBytes: number): Buffer {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (encoding === 'gzip') return gunzipped(bytes, maxBytes);
  if (encoding !== 'identity') throw new UnsupportedMediaType('The body may be encoded with gzip only.');
  if (bytes.length > maxBytes) throw new PayloadTooLarge({ max_bytes: maxBytes });
  return bytes;
}

function gunzipped(bytes: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new PayloadTooLarge({ max_bytes: maxBytes });
    throw new MalformedJson('The body is not valid gzip.');
  }
}

/**
 * The value of a body, guarded: UTF-8 only, at most 32 levels and 10,000 values, counted before anything recursive; no key
 * `__proto__`, `constructor` or `hasOwnProperty`, no NUL, no half surrogate pair, no number beyond a double, at any depth.
 * @throws MalformedJson, ValidationFailed
 */
export function parseJson(bytes: Buffer, maxNodes = MAX_NODES): unknown {
  const text = decoded(bytes);
  const mayBeUnsafe = !isPlain(text, maxNodes) && scan(bytes, maxNodes);
  const value = parsed(text);
  if (mayBeUnsafe) {
    const issues = unsafeParts(value);
    if (issues.length > 0) throw new ValidationFailed(issues);
  }
  return value;
}

function decoded(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1'); // several times faster, the usual case
  if (!isUtf8(bytes)) throw new MalformedJson('The body is not valid UTF-8.');
  return bytes.toString('utf8');
}

/** The message is ours: the parser's quotes the body. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJson();
  }
}

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
function isPlain(text: string, maxNodes: number): boolean {
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
function scan(bytes: Uint8Array, maxNodes: number): boolean {
  const { length } = bytes;
  let mayBeUnsafe = false;
  let depth = 0;
  let nodes = 1;
  let openedAt = -1;
  let structureAt = 0;

  for (let i = 0; i < length; i++) {
    const kind = KIND[bytes[i]!];
    if (kind === 0) continue;
    if (kind === Kind.Exponent) {
      mayBeUnsafe ||= isDigit(bytes[i - 1]!);
      continue;
    }
    if (kind === Kind.Quote) {
      const start = ++i;
      for (; i < length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH && bytes[++i] === LOWER_U) mayBeUnsafe = true;
      }
      mayBeUnsafe ||= mayReachForPrototype(bytes[start]!, i - start);
    } else if (kind === Kind.Open) {
      nodes++; // its first child, taken back when there is none
      if (++depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      openedAt = i;
    } else {
      mayBeUnsafe ||= i - structureAt > LONG_NUMBER;
      if (kind === Kind.Comma) nodes++;
      else {
        if (structureAt === openedAt && isBlank(bytes, openedAt + 1, i)) nodes--;
        depth--;
      }
    }
    structureAt = i;
  }
  if (nodes > maxNodes) throw new MalformedJson(`The body holds more than ${maxNodes} values.`);
  return mayBeUnsafe || length - structureAt > LONG_NUMBER;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! > 0x20) return false;
  return true;
}

/** `__proto__`, `constructor` and `hasOwnProperty`, by their first letter and their length. */
function mayReachForPrototype(first: number, length: number): boolean {
  return (length === 9 && first === 0x5f) || (length === 11 && first === 0x63) || (length === 14 && first === 0x68);
}

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'hasOwnProperty']);
/** Halves of pairs that are whole too: without the flag `u` a search takes half the time. */
const PERHAPS_UNSAFE = /[\0\ud800-\udfff]/;
const UNSAFE = /[\0\ud800-\udfff]/u;

/**
 * Parts of a parsed body that are legal JSON and break what comes after: object merges, PostgreSQL, canonical JSON.
 * @returns the first 100
 */
function unsafeParts(value: unknown): ValidationIssue[] {
  const search = new UnsafeParts();
  search.look(value);
  return search.issues;
}

/** Places are made for what holds others and for what is found, not for each thing that is looked at. */
class UnsafeParts {
  readonly issues: ValidationIssue[] = [];

  look(value: unknown, holder?: Place, key: string | number = ''): void {
    if (typeof value === 'string') this.lookAtText(value, holder, key);
    else if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.add(holder, key, 'out_of_range', 'must fit a double-precision number');
    } else if (typeof value === 'object' && value !== null) this.lookInside(value, placeOf(holder, key));
  }

  private get isFull(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  private lookInside(value: object, place: Place): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !this.isFull; index++) this.look(value[index], place, index);
      return;
    }
    for (const name of namesOf(value)) {
      if (this.isFull) return;
      this.lookAtMember((value as Record<string, unknown>)[name], place, name);
    }
  }

  private lookAtMember(value: unknown, holder: Place, name: string): void {
    if (mayReachForPrototype(name.charCodeAt(0), name.length) && PROTOTYPE_KEYS.has(name))
      return this.add(holder, name, 'unknown_property', 'is never accepted');
    this.lookAtText(name, holder, name);
    if (!this.isFull) this.look(value, holder, name);
  }

  private lookAtText(text: string, holder: Place | undefined, key: string | number): void {
    if (!PERHAPS_UNSAFE.test(text) || !UNSAFE.test(text)) return;
    const part = text.includes('\0') ? 'the character NUL' : 'half a surrogate pair';
    this.add(holder, key, 'bad_format', `must not contain ${part}`);
  }

  private add(holder: Place | undefined, key: string | number, code: IssueCode, message: string): void {
    this.issues.push({ path: placeOf(holder, key).path, code, message });
  }
}

function placeOf(holder: Place | undefined, key: string | number): Place {
  return holder?.below(key) ?? Place.WHOLE_BODY;
}
