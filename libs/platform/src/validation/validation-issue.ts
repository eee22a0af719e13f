import type { IssueCode } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';

/** One thing that is wrong with a body or a query. */
export interface ValidationIssue {
  /** JSON Pointer into what was sent; empty for the whole of it. */
  path: string;
  code: IssueCode;
  /** Without the path: "must be between 0 and 1". */
  message: string;
  /** The rule that was broken, in the words of JSON Schema. */
  expected?: Readonly<Record<string, unknown>>;
  /** The input, where it is short and no secret: the value, or the number of its items or characters. */
  received?: unknown;
}

/** So many are looked for: a bad body must not cost more than a good one, however much is wrong with it. */
export const MAX_ISSUES = 100;

/** A longer name of a property is not repeated in an answer: its issues point at what holds it. */
export const MAX_SHOWN_NAME = 200;

/** JSON Pointer to where these steps lead. It ends above a name that is too long to be shown. */
export function pointerTo(keys: readonly (string | number)[]): string {
  const cut = keys.findIndex((key) => typeof key === 'string' && key.length > MAX_SHOWN_NAME);
  const shown = cut === -1 ? keys : keys.slice(0, cut);
  return shown.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The issue as a sentence: `items[0].share must be between 0 and 1`. */
function sentence({ path, message }: ValidationIssue): string {
  const keys = path.split('/').slice(1);
  const place = keys.map((key) => accessor(key.replaceAll('~1', '/').replaceAll('~0', '~')));
  return `${place.join('').replace(/^\./, '') || 'the body'} ${message}`;
}

function accessor(key: string): string {
  if (/^\d+$/.test(key)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

const LISTED = 20;

export interface IssueDetails {
  issues: readonly ValidationIssue[];
  /** How many more were found; only when the list was cut. */
  more_issues?: number;
}

/** The input does not fit its schema. The message is the first issue, and the first 20 are listed. */
export class ValidationFailed extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'validation_failed';
  override readonly details: Readonly<Record<string, unknown>> & IssueDetails;

  /** @param issues at least one */
  constructor(issues: readonly ValidationIssue[]) {
    super(issues[0] && sentence(issues[0]));
    const more = issues.length - LISTED;
    this.details = { issues: issues.slice(0, LISTED), ...(more > 0 && { more_issues: more }) };
  }
}
