import { isJsonObject, type Class, type JsonSchema } from '@evenkeel/contracts';
import type { ErrorObject } from 'ajv/dist/2020';
import { bodySchema, findErrorsOf, type Field } from './body-schema';
import { issuesOf, unknownProperty, type Finding } from './describe-issue';
import { MAX_ISSUES, pointerTo, type ValidationIssue } from './validation-issue';

/**
 * Says what is wrong with a parsed body: fields in the order of their class, unknown properties last. Of a list that is too
 * long nothing is said beyond its limit.
 * @param forms the class of the body, or the classes it may have
 * @returns the first 100 issues, empty when there is none
 */
export function explain(forms: Class | readonly Class[], value: unknown): ValidationIssue[] {
  const choice = chooseForm(Array.isArray(forms) ? (forms as readonly Class[]) : [forms as Class], value);
  if ('issue' in choice) return [choice.issue];
  const errors = findErrorsOf(choice.form)(cutToLimits(choice.form, value));
  if (errors.length === 0) return [];
  const isUnknown = ({ keyword }: ErrorObject) => keyword === 'additionalProperties';
  const located = (error: ErrorObject) => find(choice.form, value, error);
  const findings = errors.filter((error) => !isUnknown(error)).flatMap(located);
  const unknown = errors.filter(isUnknown).slice(0, MAX_ISSUES).flatMap(located);
  return [...issuesOf(findings.sort(inOrder)), ...unknown.map(unknownProperty)].slice(0, MAX_ISSUES);
}

/**
 * Which of several forms a body means: the one whose own required property it has, such as `item` or `items`.
 * Both or neither is an issue of its own.
 */
function chooseForm(forms: readonly Class[], value: unknown): { form: Class } | { issue: ValidationIssue } {
  const [first, ...others] = forms;
  if (!first) throw new TypeError('a body needs at least one form');
  if (others.length === 0 || !isJsonObject(value)) return { form: first };
  const marks = forms.map((form) => ({ form, mark: markOf(form, forms) }));
  const [meant, second] = marks.filter(({ mark }) => Object.hasOwn(value, mark));
  if (!meant) {
    const [wanted, ...alternatives] = marks.map(({ mark }) => mark);
    return { issue: issueAt(wanted!, 'required', `is required, or ${alternatives.join(' or ')}`) };
  }
  if (second) return { issue: issueAt(second.mark, 'conflict', `must not be given together with ${meant.mark}`) };
  return { form: meant.form };
}

function issueAt(property: string, code: 'required' | 'conflict', message: string): ValidationIssue {
  return { path: pointerTo([property]), code, message };
}

function markOf(form: Class, forms: readonly Class[]): string {
  const others = forms.filter((other) => other !== form);
  const mark = bodySchema(form).required.find((name) =>
    others.every((other) => !(name in bodySchema(other).properties)),
  );
  if (mark === undefined) throw new TypeError(`${form.name} has no required property of its own`);
  return mark;
}

/** A copy whose lists end one item after their limit, so that a long one costs no more than a good one; the body itself where none does. */
function cutToLimits(type: Class, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  let copy = value;
  for (const { name, nested, schema } of bodySchema(type).fields) {
    const held = value[name];
    let cut = Array.isArray(held) && held.length > limitOf(schema) ? held.slice(0, limitOf(schema) + 1) : held;
    if (nested && Array.isArray(cut)) {
      const items: unknown[] = cut.map((item) => cutToLimits(nested, item));
      if (items.some((item, index) => item !== (held as unknown[])[index])) cut = items;
    } else if (nested) cut = cutToLimits(nested, held);
    if (cut !== held) copy = { ...copy, [name]: cut };
  }
  return copy;
}

function limitOf({ maxItems = Infinity }: JsonSchema): number {
  return maxItems;
}

const AN_OBJECT: JsonSchema = { type: 'object' };

/** Where in the class of a body an error is, and what was sent there. */
function find(type: Class, body: unknown, error: ErrorObject): Finding[] {
  let owner: Class | undefined = type;
  let field: Field | undefined;
  const finding = { error, keys: [] as string[], order: [] as number[], schema: AN_OBJECT, value: body };
  for (const key of keysOf(error)) {
    finding.value = (finding.value as Record<string, unknown>)[key];
    if (owner) {
      const { fields } = bodySchema(owner);
      finding.order.push(fields.findIndex(({ name }) => name === key));
      field = fields[finding.order.at(-1)!]!;
      finding.schema = field.schema;
      owner = field.isList ? undefined : field.nested;
    } else {
      const list = finding.schema;
      if (Number(key) >= limitOf(list)) return [];
      // Of a list of scalars the issue is the list's.
      if (!field?.nested) return [{ ...finding, schema: list.items ?? {}, value: undefined, isOfItems: true }];
      finding.order.push(Number(key));
      finding.schema = AN_OBJECT;
      owner = field.nested;
    }
    finding.keys.push(key);
  }
  return [finding];
}

/** @returns the steps from the body to what is at fault; what is missing is one more */
function keysOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const keys = instancePath.split('/').slice(1);
  const plain = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keyword === 'required' ? [...plain, String(params.missingProperty)] : plain;
}

function inOrder({ order: first }: Finding, { order: second }: Finding): number {
  const at = first.findIndex((step, index) => step !== second[index]);
  return at === -1 || second[at] === undefined ? first.length - second.length : first[at]! - second[at];
}
