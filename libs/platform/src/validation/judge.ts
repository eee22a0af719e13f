import { isJsonObject, type Class, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { bodySchema, nestedSchema } from './body-schema';
import { describeIssue, isTooLong, required } from './describe-issue';
import { codesOf, isAboutLists } from './issue-codes';
import { knownPart } from './known-part';
import { unknownProperties } from './unknown-properties';
import { below, MAX_ISSUES, type ValidationIssue } from './validation-issue';

export interface Judgement<T> {
  /** At most 100. */
  issues: ValidationIssue[];
  /** Good only when there are no issues. Free-form objects in it are empty: checked, then dropped. */
  instance: T | undefined;
}

/** Judges a parsed body by the decorators of its class: issues in the order of the fields, unknown properties last. */
export function judge<T extends object>(type: Class<T>, value: unknown): Judgement<T> {
  if (!isJsonObject(value)) {
    return {
      issues: [describeIssue({ path: '', code: 'wrong_type', schema: { type: 'object' }, value })],
      instance: undefined,
    };
  }
  const document = bodySchema(type);
  const instance = plainToInstance(type, knownPart(value, document, document));
  // Unknown values are refused by the closed schema; the setting of that name would refuse a class without fields.
  const errors = validateSync(instance, { forbidUnknownValues: false, validationError: { target: false } });
  return { issues: firstOf(issuesOf(value, errors, document)), instance };
}

/** What is not asked for is not made. */
function firstOf(issues: Iterable<ValidationIssue>): ValidationIssue[] {
  const first: ValidationIssue[] = [];
  for (const issue of issues) {
    first.push(issue);
    if (first.length === MAX_ISSUES) break;
  }
  return first;
}

function* issuesOf(
  value: Record<string, unknown>,
  errors: readonly ValidationError[],
  document: SchemaDocument,
): Generator<ValidationIssue> {
  for (const error of errors) yield* fieldIssues(error, document, value, '', document);
  yield* unknownProperties(value, document, document);
}

function* fieldIssues(
  error: ValidationError,
  owner: JsonSchema,
  holder: Record<string, unknown>,
  path: string,
  document: SchemaDocument,
): Generator<ValidationIssue> {
  const schema = owner.properties?.[error.property] ?? {};
  const value = Object.hasOwn(holder, error.property) ? holder[error.property] : undefined;
  const place = below(path, error.property);
  if (value === undefined) {
    yield required(place);
    return;
  }
  if (Array.isArray(value) && schema.items && nestedSchema(schema.items, document)) {
    yield* listIssues(error, schema, value, place, document);
    return;
  }
  const own = constraintIssues(error, schema, value, place);
  yield* own;
  const nested = nestedSchema(schema, document);
  if (own.length > 0 || !nested || !isJsonObject(value)) return;
  for (const child of error.children ?? []) yield* fieldIssues(child, nested, value, place, document);
}

/** A list of objects: its own size first, then each item in turn. */
function* listIssues(
  error: ValidationError,
  schema: JsonSchema,
  list: readonly unknown[],
  path: string,
  document: SchemaDocument,
): Generator<ValidationIssue> {
  const { holdsObjects: _, ...constraints } = error.constraints ?? {};
  yield* constraintIssues({ property: error.property, constraints }, schema, list, path);
  const nested = nestedSchema(schema.items!, document)!;
  const children = new Map((error.children ?? []).map((child) => [child.property, child.children ?? []]));
  for (const [index, item] of list.slice(0, schema.maxItems).entries()) {
    const place = below(path, index);
    if (!isJsonObject(item)) {
      yield describeIssue({ path: place, code: 'wrong_type', schema: { type: 'object' }, value: item });
      continue;
    }
    for (const child of children.get(String(index)) ?? []) yield* fieldIssues(child, nested, item, place, document);
  }
}

function constraintIssues(
  { constraints = {}, property }: Pick<ValidationError, 'constraints' | 'property'>,
  schema: JsonSchema,
  value: unknown,
  path: string,
): ValidationIssue[] {
  const describe = (names: string[], of: JsonSchema, judged: unknown): ValidationIssue[] =>
    codesOf(names, isTooLong(of, judged)).map((code) => {
      const fallback = constraints[names[0]!]?.replace(`${property} `, '');
      return describeIssue({ path, code, schema: of, value: judged, fallback });
    });
  const names = Object.keys(constraints);
  const { items } = schema;
  if (!Array.isArray(value) || !items) return describe(names, schema, value);
  // class-validator does not say which item of a list of scalars it means.
  const ofItems = describe(
    names.filter((name) => !isAboutLists(name)),
    items,
    undefined,
  );
  return [
    ...describe(names.filter(isAboutLists), schema, value),
    ...ofItems.map((issue) => ({ ...issue, message: `must hold items each of which ${issue.message}` })),
  ];
}
