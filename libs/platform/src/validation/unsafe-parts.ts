import { below, type ValidationIssue } from './validation-issue';

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'hasOwnProperty']);
const HALF_A_PAIR = /[\ud800-\udfff]/u;

/** Parts of a parsed body that are legal JSON and break what comes after: object merges, PostgreSQL, canonical JSON. */
export function unsafeParts(value: unknown, path = ''): ValidationIssue[] {
  if (typeof value === 'string') return textIssues(value, path);
  if (typeof value === 'number') return numberIssues(value, path);
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => unsafeParts(item, below(path, index)));
  return Object.entries(value).flatMap(([key, item]) => {
    const place = below(path, key);
    if (PROTOTYPE_KEYS.has(key))
      return [{ path: place, code: 'unknown_property' as const, message: 'is never accepted' }];
    return [...textIssues(key, place), ...unsafeParts(item, place)];
  });
}

function textIssues(text: string, path: string): ValidationIssue[] {
  if (text.includes('\0')) return [{ path, code: 'bad_format', message: 'must not contain the character NUL' }];
  if (HALF_A_PAIR.test(text)) return [{ path, code: 'bad_format', message: 'must not contain half a surrogate pair' }];
  return [];
}

function numberIssues(value: number, path: string): ValidationIssue[] {
  return Number.isFinite(value) ? [] : [{ path, code: 'out_of_range', message: 'must fit a double-precision number' }];
}
