import { isAscii, isUtf8 } from 'node:buffer';
import type { IssueCode } from '@evenkeel/contracts';
import { MalformedJson } from './body-encoding';
import { MAX_ISSUES, pointerTo, ValidationFailed, type ValidationIssue } from './validation-issue';

/** Values of all kinds in one body: objects, arrays and scalars, not keys. A route may allow another number. */
export const MAX_NODES = 10_000;
/** Nested deeper than this, a body is refused before anything else looks into it. */
export const MAX_DEPTH = 32;

/**
 * The value of a body, guarded: UTF-8 only, at most 32 levels and 10,000 values; no key `__proto__`, `constructor` or
 * `hasOwnProperty`, no NUL, no half surrogate pair, no number beyond a double, at any depth.
 * @throws MalformedJson, ValidationFailed
 */
export function parseJson(bytes: Buffer): unknown {
  const value = parsed(decoded(bytes));
  expectSafe(value);
  return value;
}

/**
 * The value of a body of which each part is refused alone: `expectSafe` is asked for each.
 * @throws MalformedJson
 */
export function parseParts(bytes: Buffer, maxNodes = MAX_NODES): unknown {
  const value = parsed(decoded(bytes));
  unsafeParts(value, maxNodes);
  return value;
}

/** @throws MalformedJson, ValidationFailed */
export function expectSafe(value: unknown): void {
  const issues = unsafeParts(value, MAX_NODES);
  if (issues.length > 0) throw new ValidationFailed(issues);
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

/** NUL, and halves of pairs that are not whole. */
const UNSAFE = /[\0\ud800-\udfff]/u;
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'hasOwnProperty']);

/**
 * What is legal JSON and breaks what comes after: object merges, PostgreSQL, canonical JSON.
 * @returns the first 100 issues
 * @throws MalformedJson where there is too much of it
 */
function unsafeParts(value: unknown, maxNodes: number): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  /** To what is looked at. */
  const keys: (string | number)[] = [];
  let nodes = 0;
  const add = (code: IssueCode, message: string): void => {
    if (issues.length < MAX_ISSUES) issues.push({ path: pointerTo(keys), code, message });
  };
  const lookAtText = (text: string): void => {
    if (!UNSAFE.test(text)) return;
    add('bad_format', `must not contain ${text.includes('\0') ? 'the character NUL' : 'half a surrogate pair'}`);
  };
  const look = (part: unknown): void => {
    if (++nodes > maxNodes) throw new MalformedJson(`The body holds more than ${maxNodes} values.`);
    if (typeof part === 'string') lookAtText(part);
    else if (typeof part === 'number' && !Number.isFinite(part))
      add('out_of_range', 'must fit a double-precision number');
    else if (typeof part === 'object' && part !== null) {
      if (keys.length >= MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      if (Array.isArray(part)) part.forEach((item, index) => lookBelow(index, item));
      else for (const name of Object.keys(part)) lookBelow(name, (part as Record<string, unknown>)[name]);
    }
  };
  const lookBelow = (key: string | number, part: unknown): void => {
    keys.push(key);
    if (typeof key === 'string' && PROTOTYPE_KEYS.has(key)) add('unknown_property', 'is never accepted');
    if (typeof key === 'string') lookAtText(key);
    look(part);
    keys.pop();
  };
  look(value);
  return issues;
}
