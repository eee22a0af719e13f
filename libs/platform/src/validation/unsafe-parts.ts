import { below, MAX_ISSUES, MAX_SHOWN_NAME, type IssueCode, type ValidationIssue } from './validation-issue';

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'hasOwnProperty']);
const HALF_A_PAIR = /[\ud800-\udfff]/u;

/**
 * Parts of a parsed body that are legal JSON and break what comes after: object merges, PostgreSQL, canonical JSON.
 * @returns the first 100
 */
export function unsafeParts(value: unknown): ValidationIssue[] {
  const search = new Search();
  search.look(value);
  return search.issues;
}

/** Paths are made for what is found, not for what is looked at. */
class Search {
  readonly issues: ValidationIssue[] = [];
  private readonly keys: string[] = [];

  look(value: unknown): void {
    if (typeof value === 'string') return this.lookAtText(value);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.add('out_of_range', 'must fit a double-precision number');
    }
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const key of Object.keys(value)) {
      if (this.isFull) return;
      this.keys.push(key);
      const child = (value as Record<string, unknown>)[key];
      if (isList) this.look(child);
      else this.lookAtMember(key, child);
      this.keys.pop();
    }
  }

  private get isFull(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  private lookAtMember(key: string, value: unknown): void {
    if (PROTOTYPE_KEYS.has(key)) return this.add('unknown_property', 'is never accepted');
    this.lookAtText(key);
    if (!this.isFull) this.look(value);
  }

  private lookAtText(text: string): void {
    if (text.includes('\0')) this.add('bad_format', 'must not contain the character NUL');
    else if (HALF_A_PAIR.test(text)) this.add('bad_format', 'must not contain half a surrogate pair');
  }

  private add(code: IssueCode, message: string): void {
    const tooLong = this.keys.findIndex((key) => key.length > MAX_SHOWN_NAME);
    const shown = tooLong === -1 ? this.keys : this.keys.slice(0, tooLong);
    this.issues.push({ path: shown.reduce(below, ''), code, message });
  }
}
