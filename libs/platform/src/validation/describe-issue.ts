import { characterCount, type JsonSchema } from '@evenkeel/contracts';
import type { IssueCode, Place, ValidationIssue } from './validation-issue';

/** The decorators that a value failed: their names, and what class-validator says of each. */
export type FailedConstraints = Readonly<Record<string, string>>;

/** Something that must be there is not. */
export function required({ path }: Place): ValidationIssue {
  return { path, code: 'required', message: 'is required' };
}

const AN_OBJECT: JsonSchema = { type: 'object' };

/** An object must be there, and is something else. */
export function notAnObject(value: unknown, place: Place): ValidationIssue {
  return described({ place, code: 'wrong_type', schema: AN_OBJECT, value });
}

/**
 * The issues of one property.
 * @param schema of the property, as its decorators say it
 */
export function constraintIssues(
  constraints: FailedConstraints,
  { name, schema }: { name: string; schema: JsonSchema },
  value: unknown,
  place: Place,
): ValidationIssue[] {
  const describe = (failed: string[], of: JsonSchema, found: unknown): ValidationIssue[] => {
    const isLong = isTooLong(of, found);
    return codesOf(failed, isLong).map((code) => {
      const constraint = failed.find((one) => codeOf(one, isLong) === code)!;
      const fallback = constraints[constraint]?.replace(`${name} `, '');
      return described({ place, code, schema: of, value: found, fallback });
    });
  };
  const failed = Object.keys(constraints);
  const { items } = schema;
  if (!Array.isArray(value) || !items) return describe(failed, schema, value);
  // class-validator does not say which item of a list of scalars it means.
  const ofItems = describe(
    failed.filter((constraint) => !isAboutLists(constraint)),
    items,
    undefined,
  );
  return [
    ...describe(failed.filter(isAboutLists), schema, value),
    ...ofItems.map((issue) => ({ ...issue, message: `must hold items each of which ${issue.message}` })),
  ];
}

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
function codesOf(constraints: readonly string[], isTooLong: boolean): IssueCode[] {
  const codes = constraints.map((name) => codeOf(name, isTooLong));
  return codes.includes('wrong_type') ? ['wrong_type'] : [...new Set(codes)];
}

function codeOf(constraint: string, isTooLong: boolean): IssueCode {
  if (LENGTHS.has(constraint)) return isTooLong ? 'too_long' : 'too_short';
  return CODES[constraint] ?? 'bad_format';
}

/** Whether a decorator speaks of a list as a whole; on a list, all others speak of its items. */
function isAboutLists(constraint: string): boolean {
  return constraint.startsWith('array') || constraint === 'isArray' || constraint === 'holdsObjects';
}

/** Names of properties whose values are never shown, not even to the caller who sent them. */
const SECRET = /password|token|secret|note|credential/i;
const SHORT = 64;

interface Finding {
  place: Place;
  code: IssueCode;
  schema: JsonSchema;
  value: unknown;
  /** What class-validator says, for formats that the schema has no words for. */
  fallback?: string;
}

/** Puts a finding into words: message, expected and received come from the schema and the value. */
function described({ place: { path }, code, schema, value, fallback }: Finding): ValidationIssue {
  const message = messageOf(code, schema) ?? fallback ?? 'has the wrong format';
  const expected = expectedBy(code, schema);
  const received = SECRET.test(path.slice(path.lastIndexOf('/'))) ? undefined : receivedAs(code, schema, value);
  return { path, code, message, ...(expected && { expected }), ...(received !== undefined && { received }) };
}

const KEYWORDS: Partial<Record<IssueCode, readonly (keyof JsonSchema)[]>> = {
  wrong_type: ['type'],
  out_of_range: ['minimum', 'maximum'],
  too_short: ['minLength', 'maxLength'],
  too_long: ['minLength', 'maxLength'],
  too_few_items: ['minItems', 'maxItems'],
  too_many_items: ['minItems', 'maxItems'],
  not_in_enum: ['enum'],
  bad_format: ['format', 'pattern'],
};

function expectedBy(code: IssueCode, schema: JsonSchema): ValidationIssue['expected'] {
  const plain = inPlainWords(schema);
  const said = (KEYWORDS[code] ?? []).filter((name) => plain[name] !== undefined);
  return said.length > 0 ? Object.fromEntries(said.map((name) => [name, plain[name]])) : undefined;
}

/** Our own keyword, references and alternatives with null in the words that a reader of the answer knows. */
function inPlainWords(schema: JsonSchema): JsonSchema {
  if (schema.$ref) return { type: 'object' };
  if (schema.anyOf) {
    const { type, ...rest } = inPlainWords(schema.anyOf[0]!);
    return { ...rest, type: [type as string, 'null'] };
  }
  if (!schema.trimmedLength) return schema;
  const { minimum, maximum } = schema.trimmedLength;
  return { ...schema, minLength: minimum, maxLength: maximum };
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** Undefined for formats that the schema has no words for. */
function messageOf(code: IssueCode, schema: JsonSchema): string | undefined {
  const plain = inPlainWords(schema);
  switch (code) {
    case 'wrong_type': {
      const types = [plain.type ?? []].flat().map((name) => TYPES[name]);
      return `must be ${types.join(' or ') || 'of another type'}`;
    }
    case 'out_of_range':
      return `must be ${range(plain.minimum, plain.maximum)}`;
    case 'too_short':
    case 'too_long':
      return `must have ${range(plain.minLength, plain.maxLength)} characters`;
    case 'too_few_items':
      return `must contain at least ${counted(plain.minItems ?? 1)}`;
    case 'too_many_items':
      return `must contain at most ${counted(plain.maxItems ?? 0)}`;
    case 'not_in_enum':
      return `must be one of ${(plain.enum ?? []).join(', ')}`;
    default:
      return plain.format ? `must be a valid ${plain.format}` : undefined;
  }
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return maximum === undefined ? 'within its range' : `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}

function counted(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}

/** Which end of its range a text missed, where a decorator has both. */
function isTooLong(schema: JsonSchema, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const { maxLength = Infinity } = inPlainWords(schema);
  return countedCharacters(schema, value) > maxLength;
}

function countedCharacters({ trimmedLength }: JsonSchema, text: string): number {
  return characterCount(trimmedLength ? text.trim() : text);
}

function receivedAs(code: IssueCode, schema: JsonSchema, value: unknown): unknown {
  if (code === 'too_few_items' || code === 'too_many_items') return Array.isArray(value) ? value.length : undefined;
  if (typeof value === 'string') {
    if (code === 'too_short' || code === 'too_long') return countedCharacters(schema, value);
    return value.length <= SHORT ? value : undefined;
  }
  return typeof value === 'object' && value !== null ? undefined : value;
}
