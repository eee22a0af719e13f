import {
  characterCount,
  isJsonObject,
  type CharacterRange,
  type Class,
  type IssueCode,
  type JsonSchema,
} from '@evenkeel/contracts';
import type { ErrorObject } from 'ajv/dist/2020';
import { fieldsOf, findErrorsOf, type OwnRule } from './body-schema';
import { MAX_ISSUES, MAX_SHOWN_NAME, pointerTo, type ValidationIssue } from './validation-issue';

/**
 * Says what is wrong with a parsed body: fields in the order of their class, unknown properties last. Of a list that is too
 * long nothing is said beyond its limit.
 * @param forms the class of the body, or the classes it may have, each with a first required property of its own
 * @returns the first 100 issues, empty when there is none
 */
export function explain(forms: Class | readonly Class[], value: unknown): ValidationIssue[] {
  const choice = chooseForm(Array.isArray(forms) ? (forms as readonly Class[]) : [forms as Class], value);
  if ('issue' in choice) return [choice.issue];
  const errors = findErrorsOf(choice.form)(cutToLimits(choice.form, value));
  const isUnknown = ({ keyword }: ErrorObject) => keyword === 'additionalProperties';
  const unknown = errors.filter(isUnknown).slice(0, MAX_ISSUES).map(unknownProperty);
  const findings = errors.filter((error) => !isUnknown(error) && !saysNothing(error)).map(locate(choice.form));
  findings.sort((one, other) => (one.rank < other.rank ? -1 : Number(one.rank > other.rank)));
  const issues = new Map<string, ValidationIssue[]>();
  for (const finding of findings) add(issues, issueOf(finding, value));
  return [...[...issues.values()].flat(), ...unknown].slice(0, MAX_ISSUES);
}

/** Each code once for a path. A value of the wrong type fails every other rule too: then that is all there is to say. */
function add(issues: Map<string, ValidationIssue[]>, issue: ValidationIssue): void {
  const known = issues.get(issue.path) ?? [];
  if (issue.code === 'wrong_type') issues.set(issue.path, [issue]);
  else if (!known.some(({ code }) => code === issue.code || code === 'wrong_type'))
    issues.set(issue.path, [...known, issue]);
}

/** Which of several forms a body means: the one whose first required property it has, such as `item` or `items`. */
function chooseForm(forms: readonly Class[], value: unknown): { form: Class } | { issue: ValidationIssue } {
  if (forms.length === 1 || !isJsonObject(value)) return { form: forms[0]! };
  const marks = forms.map((form) => fieldsOf(form).find(({ isRequired }) => isRequired)!.name);
  const [meant, second] = marks.filter((mark) => Object.hasOwn(value, mark));
  if (meant === undefined) {
    const message = `is required, or ${marks.slice(1).join(' or ')}`;
    return { issue: { path: pointerTo(marks.slice(0, 1)), code: 'required', message } };
  }
  if (second === undefined) return { form: forms[marks.indexOf(meant)]! };
  const message = `must not be given together with ${meant}`;
  return { issue: { path: pointerTo([second]), code: 'conflict', message } };
}

/** A copy whose lists end one item after their limit, so that a long one costs no more than a good one. */
function cutToLimits(type: Class, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const copy = { ...value };
  for (const { name, nested, schema } of fieldsOf(type)) {
    let held = copy[name];
    if (Array.isArray(held)) held = held.slice(0, (schema.maxItems ?? Infinity) + 1);
    if (nested) held = Array.isArray(held) ? held.map((item) => cutToLimits(nested, item)) : cutToLimits(nested, held);
    copy[name] = held;
  }
  return copy;
}

/** An error of Ajv and its position. */
interface Finding {
  error: ErrorObject;
  keys: readonly string[];
  /** Sorts as the fields of the class do. */
  rank: string;
  /** Of a list of scalars the issue is that of the list. */
  isOfItems: boolean;
}

/** That none of its alternatives fits, or that it is not null, which the others say better. */
function saysNothing({ keyword, params }: ErrorObject): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && params.type === 'null');
}

function locate(type: Class) {
  return (error: ErrorObject): Finding => {
    const { instancePath, schemaPath, keyword, params } = error;
    const isOfItems = /(?<!properties)\/items\/\w+$/.test(schemaPath);
    const keys = keysOf(instancePath);
    if (isOfItems) keys.pop();
    // What is missing is one step more.
    if (keyword === 'required') keys.push(String(params.missingProperty));
    return { error, keys, rank: rankOf(type, keys), isOfItems };
  };
}

function keysOf(instancePath: string): string[] {
  const keys = instancePath.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The number of each step among its neighbours, in digits that sort as text. */
function rankOf(type: Class, keys: readonly string[]): string {
  let owner = type;
  const numbers = keys.map((key) => {
    const at = fieldsOf(owner).findIndex(({ name }) => name === key);
    owner = fieldsOf(owner)[at]?.nested ?? owner;
    return at === -1 ? Number(key) : at;
  });
  return numbers.map((number) => String(number).padStart(6, '0')).join('');
}

/** Something that a closed class does not have. */
function unknownProperty({ instancePath, params }: ErrorObject): ValidationIssue {
  const keys = keysOf(instancePath);
  const name = String(params.additionalProperty);
  const code = 'unknown_property';
  if (name.length <= MAX_SHOWN_NAME)
    return { path: pointerTo([...keys, name]), code, message: 'is not a known property' };
  return { path: pointerTo(keys), code, message: `has an unknown property with a name of ${name.length} characters` };
}

/** A keyword of JSON Schema as an issue: its code, the members that say what was expected, and the sentence. */
type Words = readonly [code: IssueCode, expects: readonly (keyof JsonSchema)[], say: (schema: JsonSchema) => string];

const inRange = ({ minimum, maximum }: JsonSchema): string => `must be ${range(minimum, maximum)}`;
const ofLength = ({ minLength, maxLength }: JsonSchema): string =>
  `must have ${range(minLength, maxLength)} characters`;
const FORM = ['format', 'pattern'] as const;
const COUNT = ['minItems', 'maxItems'] as const;

const WORDS = {
  type: ['wrong_type', ['type'], ({ type }) => `must be ${[type!].flat().map(nameOfType).join(' or ')}`],
  minimum: ['out_of_range', ['minimum', 'maximum'], inRange],
  maximum: ['out_of_range', ['minimum', 'maximum'], inRange],
  minLength: ['too_short', ['minLength', 'maxLength'], ofLength],
  maxLength: ['too_long', ['minLength', 'maxLength'], ofLength],
  minItems: ['too_few_items', COUNT, ({ minItems }) => `must contain at least ${items(minItems!)}`],
  maxItems: ['too_many_items', COUNT, ({ maxItems }) => `must contain at most ${items(maxItems!)}`],
  enum: ['not_in_enum', ['enum'], ({ enum: words = [] }) => `must be one of ${words.join(', ')}`],
  format: ['bad_format', FORM, ({ format }) => `must be a valid ${format}`],
  pattern: ['bad_format', FORM, ({ pattern }) => `must match /${pattern}/ regular expression`],
} satisfies Readonly<Record<string, Words>>;

function nameOfType(type: string): string {
  if (type === 'boolean') return 'true or false';
  if (type === 'null') return type;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}

function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function issueOf({ error, keys, isOfItems }: Finding, body: unknown): ValidationIssue {
  const path = pointerTo(keys);
  if (error.keyword === 'required') return { path, code: 'required', message: 'is required' };
  // As it was sent, not as it was cut.
  const sent = keys.reduce((held, key) => (held as Record<string, unknown>)[key], body);
  const { code, message, expected } = brokenRule(error, sent);
  const received = isOfItems ? undefined : receivedAs(code, keys.at(-1) ?? '', sent, error);
  return {
    path,
    code,
    message: isOfItems ? `must hold items each of which ${message}` : message,
    ...(expected && { expected }),
    ...(received !== undefined && { received }),
  };
}

/** @param sent the value at fault */
function brokenRule({ keyword, params, parentSchema }: ErrorObject, sent: unknown): Omit<ValidationIssue, 'path'> {
  const schema = (parentSchema ?? {}) as JsonSchema;
  if (keyword === 'trimmedLength') return wrongLength(schema.trimmedLength!, (sent as string).trim());
  if (keyword === 'ownRules') {
    const { bounds, message } = params.rule as OwnRule;
    const [minimum, maximum] = bounds as number[];
    if (typeof sent === 'string' && typeof maximum === 'number')
      return wrongLength({ minimum: minimum!, maximum }, sent);
    return { code: 'bad_format', message: message.replace('$property ', '') || 'has the wrong format' };
  }
  // A list of words and a format bring their type with them: who misses it has not met them.
  const broader = schema.enum ? 'enum' : schema.format ? 'format' : 'type';
  return inWords(keyword === 'type' ? broader : (keyword as keyof typeof WORDS), schema);
}

function wrongLength({ minimum, maximum }: CharacterRange, text: string): Omit<ValidationIssue, 'path'> {
  const keyword = characterCount(text) > maximum ? 'maxLength' : 'minLength';
  return inWords(keyword, { minLength: minimum, maxLength: maximum });
}

function inWords(keyword: keyof typeof WORDS, schema: JsonSchema): Omit<ValidationIssue, 'path'> {
  const [code, expects, say]: Words = WORDS[keyword];
  const stated = expects.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]);
  return { code, message: say(schema), expected: Object.fromEntries(stated) as JsonSchema & Record<string, unknown> };
}

/** Names of properties whose values are never shown, not even to the caller who sent them. */
const SECRET = /password|token|secret|note|credential/i;
const SHORT = 64;

function receivedAs(code: IssueCode, name: string, sent: unknown, { keyword }: ErrorObject): unknown {
  if (SECRET.test(name)) return undefined;
  if (Array.isArray(sent)) return code === 'too_few_items' || code === 'too_many_items' ? sent.length : undefined;
  if (typeof sent !== 'string') return typeof sent === 'object' && sent !== null ? undefined : sent;
  if (code === 'too_short' || code === 'too_long')
    return characterCount(keyword === 'trimmedLength' ? sent.trim() : sent);
  return sent.length <= SHORT ? sent : undefined;
}
