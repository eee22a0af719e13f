import { characterCount, type JsonSchema } from '@evenkeel/contracts';
import type { ErrorObject } from 'ajv/dist/2020';
import type { OwnRule } from './body-schema';
import { MAX_SHOWN_NAME, pointerTo, type IssueCode, type ValidationIssue } from './validation-issue';

/** An error of Ajv, with what the class of the body says of its place. */
export interface Finding {
  error: ErrorObject;
  /** The steps from the body to its place. */
  keys: readonly string[];
  /** Of each step from the body to it, the number among its neighbours. */
  order: readonly number[];
  /** Of the property, or of the items of a list of scalars. */
  schema: JsonSchema;
  /** As it was sent. */
  value: unknown;
  isOfItems?: boolean;
}

/** The errors of Ajv as our issues. */
const CODES: Readonly<Record<string, IssueCode>> = {
  required: 'required',
  type: 'wrong_type',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  multipleOf: 'out_of_range',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  enum: 'not_in_enum',
  const: 'not_in_enum',
  format: 'bad_format',
  pattern: 'bad_format',
};

/**
 * The issues of a body, each code once a place. A value of the wrong type fails every other rule too: then that is all there
 * is to say.
 */
export function issuesOf(findings: readonly Finding[]): ValidationIssue[] {
  const issues = new Map<string, ValidationIssue[]>();
  for (const finding of findings) {
    if (saysNothing(finding)) continue;
    const issue = described(finding);
    const known = issues.get(issue.path) ?? [];
    if (issue.code === 'wrong_type') issues.set(issue.path, [issue]);
    else if (!known.some(({ code }) => code === issue.code || code === 'wrong_type'))
      issues.set(issue.path, [...known, issue]);
  }
  return [...issues.values()].flat();
}

/** That none of its alternatives fits, or that it is not null, which the others say better. */
function saysNothing({ error: { keyword, params } }: Finding): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && params.type === 'null');
}

/** Something that a closed class does not have. */
export function unknownProperty({ keys, error }: Finding): ValidationIssue {
  const name = String(error.params.additionalProperty);
  const code = 'unknown_property';
  if (name.length <= MAX_SHOWN_NAME)
    return { path: pointerTo([...keys, name]), code, message: 'is not a known property' };
  return { path: pointerTo(keys), code, message: `has an unknown property with a name of ${name.length} characters` };
}

/** Names of properties whose values are never shown, not even to the caller who sent them. */
const SECRET = /password|token|secret|note|credential/i;
const SHORT = 64;

/** Puts a finding into words: message, expected and received come from the schema and the value. */
function described(finding: Finding): ValidationIssue {
  const path = pointerTo(finding.keys);
  const { error, value, isOfItems } = finding;
  const schema = schemaOf(finding);
  const code = codeOf(finding, schema, value);
  if (code === 'required') return { path, code, message: 'is required' };
  const message = messageOf(code, schema, error) ?? 'has the wrong format';
  const expected = expectedBy(code, schema);
  const received = SECRET.test(path.slice(path.lastIndexOf('/'))) ? undefined : receivedAs(code, schema, value);
  return {
    path,
    code,
    message: isOfItems ? `must hold items each of which ${message}` : message,
    ...(expected && { expected }),
    ...(received !== undefined && { received }),
  };
}

/**
 * A list of words and a format bring their type with them: who misses it has not met them. What our own keywords refuse has
 * the wrong length where they have a range of lengths, else the wrong format.
 */
function codeOf({ error: { keyword } }: Finding, schema: JsonSchema, value: unknown): IssueCode {
  const { maxLength, enum: words, format } = inPlainWords(schema);
  if (keyword === 'type' && words) return 'not_in_enum';
  if (keyword === 'type' && format) return 'bad_format';
  const code = CODES[keyword];
  if (code) return code;
  if (maxLength === undefined || typeof value !== 'string') return 'bad_format';
  return countedCharacters(schema, value) > maxLength ? 'too_long' : 'too_short';
}

/** The schema of the rule that failed. */
function schemaOf({ error: { keyword, params }, schema }: Finding): JsonSchema {
  if (keyword !== 'ownRules') return schema;
  const [minLength, maxLength] = (params.rule as OwnRule).bounds;
  return { type: schema.type!, ...(typeof maxLength === 'number' && { minLength: minLength as number, maxLength }) };
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

/** Undefined for what nobody has words for. */
function messageOf(code: IssueCode, schema: JsonSchema, error: ErrorObject): string | undefined {
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
      return messageOfFormat(error, plain);
  }
}

function messageOfFormat({ keyword, params }: ErrorObject, { format, pattern }: JsonSchema): string | undefined {
  if (keyword === 'ownRules') return (params.rule as OwnRule).message.replace('$property ', '') || undefined;
  return format ? `must be a valid ${format}` : `must match /${pattern}/ regular expression`;
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return maximum === undefined ? 'within its range' : `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}

function counted(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
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
