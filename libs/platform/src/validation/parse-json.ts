import { isAscii, isUtf8 } from 'node:buffer';
import { MalformedJson } from './malformed-json';
import { isPlainJson } from './plain-json';
import { scanJson } from './scan-json';
import { unsafeParts } from './unsafe-parts';
import { ValidationFailed } from './validation-failed';

/**
 * The value of a body, guarded: UTF-8 only, at most 32 levels and 10,000 values, counted before anything recursive; no key
 * `__proto__`, `constructor` or `hasOwnProperty`, no NUL, no half surrogate pair, no number beyond a double, at any depth.
 * @throws MalformedJson, ValidationFailed
 */
export function parseJson(bytes: Buffer): unknown {
  const text = decoded(bytes);
  const doubtful = !isPlainJson(text) && scanJson(bytes);
  const value = parsed(text);
  if (doubtful) {
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
