import { isAscii, isUtf8 } from 'node:buffer';
import { MalformedJson } from './body-encoding';
import { namesOf } from './names-of';
import { isPlain, mayReachForPrototype, scan } from './scan-json';
import { MAX_ISSUES, Place, ValidationFailed, type IssueCode, type ValidationIssue } from './validation-issue';

/** Values of all kinds in one body: objects, arrays and scalars, not keys. A route may allow another number. */
export const MAX_NODES = 10_000;

/**
 * The value of a body, guarded: UTF-8 only, at most 32 levels and 10,000 values, counted before anything recursive; no key
 * `__proto__`, `constructor` or `hasOwnProperty`, no NUL, no half surrogate pair, no number beyond a double, at any depth.
 * @throws MalformedJson, ValidationFailed
 */
export function parseJson(bytes: Buffer, maxNodes = MAX_NODES): unknown {
  const text = decoded(bytes);
  const isUnsafe = !isPlain(text, maxNodes) && scan(bytes, maxNodes);
  const value = parsed(text);
  if (isUnsafe) {
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
