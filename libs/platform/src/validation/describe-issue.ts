import { characterCount, type JsonSchema } from '@evenkeel/contracts';
import type { IssueCode, ValidationIssue } from './validation-issue';

/** Names of properties whose values are never shown, not even to the caller who sent them. */
const SECRET = /password|token|secret|note|credential/i;
const SHORT = 64;

export interface Finding {
  path: string;
  code: IssueCode;
  /** Of the property, as the decorators say it. */
  schema: JsonSchema;
  value: unknown;
  /** What class-validator says, for formats that the schema has no words for. */
  fallback?: string;
}

/** Puts a finding into words: message, expected and received come from the schema and the value. */
export function describeIssue({ path, code, schema, value, fallback }: Finding): ValidationIssue {
  const expected = expectedBy(code, schema);
  const received = SECRET.test(path.slice(path.lastIndexOf('/'))) ? undefined : receivedAs(code, schema, value);
  return {
    path,
    code,
    message: messageOf(code, schema, fallback),
    ...(Object.keys(expected).length > 0 && { expected }),
    ...(received !== undefined && { received }),
  };
}

/** Something that must be there is not. */
export function required(path: string): ValidationIssue {
  return { path, code: 'required', message: 'is required' };
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

function expectedBy(code: IssueCode, schema: JsonSchema): Record<string, unknown> {
  const plain = inPlainWords(schema);
  const keywords = KEYWORDS[code] ?? [];
  return Object.fromEntries(keywords.flatMap((name) => (plain[name] === undefined ? [] : [[name, plain[name]]])));
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

function messageOf(code: IssueCode, schema: JsonSchema, fallback = 'has the wrong format'): string {
  const {
    type,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    enum: values,
    format,
  } = inPlainWords(schema);
  switch (code) {
    case 'wrong_type':
      return `must be ${
        [type ?? []]
          .flat()
          .map((name) => TYPES[name])
          .join(' or ') || 'of another type'
      }`;
    case 'out_of_range':
      return `must be ${range(minimum, maximum)}`;
    case 'too_short':
    case 'too_long':
      return `must have ${range(minLength, maxLength)} characters`;
    case 'too_few_items':
      return `must contain at least ${counted(minItems ?? 1)}`;
    case 'too_many_items':
      return `must contain at most ${counted(maxItems ?? 0)}`;
    case 'not_in_enum':
      return `must be one of ${(values ?? []).join(', ')}`;
    default:
      return format ? `must be a valid ${format}` : fallback;
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
export function isTooLong(schema: JsonSchema, value: unknown): boolean {
  const { maxLength = Infinity } = inPlainWords(schema);
  return typeof value === 'string' && countedCharacters(schema, value) > maxLength;
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
