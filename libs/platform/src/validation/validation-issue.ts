export type IssueCode =
  | 'required'
  | 'wrong_type'
  | 'out_of_range'
  | 'too_short'
  | 'too_long'
  | 'too_few_items'
  | 'too_many_items'
  | 'not_in_enum'
  | 'bad_format'
  | 'unknown_property'
  | 'conflict';

/** One thing that is wrong with a body or a query. */
export interface ValidationIssue {
  /** JSON Pointer into what was sent; empty for the whole of it. */
  path: string;
  code: IssueCode;
  /** Without the path: "must be between 0 and 1". */
  message: string;
  /** What would have been right, in the words of JSON Schema. */
  expected?: Readonly<Record<string, unknown>>;
  /** What came, where it is short and no secret: the value, or the number of its items or characters where that is at fault. */
  received?: unknown;
}

/** So many are looked for: a bad body must not cost more than a good one, however much is wrong with it. */
export const MAX_ISSUES = 100;

/** A longer name of a property is not repeated in an answer: its issues point at what holds it. */
export const MAX_SHOWN_NAME = 200;

/** One step down a JSON Pointer. */
export function below(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The issue as a sentence: `habits[0].completion_rate must be between 0 and 1`. */
export function sentence({ path, message }: ValidationIssue): string {
  const keys = path.split('/').slice(1);
  const place = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')).map(accessor);
  return `${place.join('').replace(/^\./, '') || 'the body'} ${message}`;
}

function accessor(key: string): string {
  if (/^\d+$/.test(key)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
