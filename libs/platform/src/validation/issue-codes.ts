import type { IssueCode } from './validation-issue';

/** What a failed decorator means. What is not listed here is a matter of format: e-mail addresses, dates, patterns. */
const CODES: Readonly<Record<string, IssueCode>> = {
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isNumber: 'wrong_type',
  isBoolean: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  isJsonObject: 'wrong_type',
  holdsObjects: 'wrong_type',
  nestedValidation: 'wrong_type',
  min: 'out_of_range',
  max: 'out_of_range',
  isPositive: 'out_of_range',
  isNegative: 'out_of_range',
  isDivisibleBy: 'out_of_range',
  minLength: 'too_short',
  isNotEmpty: 'too_short',
  maxLength: 'too_long',
  maxCharacters: 'too_long',
  arrayMinSize: 'too_few_items',
  arrayNotEmpty: 'too_few_items',
  arrayMaxSize: 'too_many_items',
  isIn: 'not_in_enum',
  isEnum: 'not_in_enum',
  equals: 'not_in_enum',
};

/** Decorators that allow a range of lengths: either end may be the one that was missed. */
const LENGTHS = new Set(['trimmedLength', 'isLength']);

/**
 * The codes of the decorators that a value failed, each once. A value of the wrong type fails every other decorator too:
 * then that is all there is to say.
 */
export function codesOf(constraints: readonly string[], isTooLong: boolean): IssueCode[] {
  const codes = constraints.map((name) => {
    if (LENGTHS.has(name)) return isTooLong ? 'too_long' : 'too_short';
    return CODES[name] ?? 'bad_format';
  });
  return codes.includes('wrong_type') ? ['wrong_type'] : [...new Set(codes)];
}

/** Whether a decorator speaks of a list as a whole; on a list, all others speak of its items. */
export function isAboutLists(constraint: string): boolean {
  return constraint.startsWith('array') || constraint === 'isArray' || constraint === 'holdsObjects';
}
