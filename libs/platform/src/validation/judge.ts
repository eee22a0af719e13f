import { isJsonObject, type Class, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { bodySchema, nestedSchema } from './body-schema';
import { describeIssue, isTooLong, required } from './describe-issue';
import { codesOf, isAboutLists } from './issue-codes';
import { knownPart } from './known-part';
import { unknownProperties } from './unknown-properties';
import { below, type ValidationIssue } from './validation-issue';

export interface Judgement<T> {
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
  const issues = [
    ...errors.flatMap((error) => fieldIssues(error, document, value, '', document)),
    ...unknownProperties(value, document, document),
  ];
  return { issues, instance };
}

function fieldIssues(
  error: ValidationError,
  owner: JsonSchema,
  holder: Record<string, unknown>,
  path: string,
  document: SchemaDocument,
): ValidationIssue[] {
  const schema = owner.properties?.[error.property] ?? {};
  const value = Object.hasOwn(holder, error.property) ? holder[error.property] : undefined;
  const place = below(path, error.property);
  if (value === undefined) return [required(place)];
  if (Array.isArray(value) && schema.items && nestedSchema(schema.items, document)) {
    return listIssues(error, schema, value, place, document);
  }
  const own = constraintIssues(error, schema, value, place);
  const nested = nestedSchema(schema, document);
  if (own.length > 0 || !nested || !isJsonObject(value)) return own;
  return (error.children ?? []).flatMap((child) => fieldIssues(child, nested, value, place, document));
}

/** A list of objects: its own size first, then each item in turn. */
function listIssues(
  error: ValidationError,
  schema: JsonSchema,
  list: readonly unknown[],
  path: string,
  document: SchemaDocument,
): ValidationIssue[] {
  const { holdsObjects: _, ...constraints } = error.constraints ?? {};
  const size = constraintIssues({ property: error.property, constraints }, schema, list, path);
  const nested = nestedSchema(schema.items!, document)!;
  const children = new Map((error.children ?? []).map((child) => [child.property, child.children ?? []]));
  const items = list.slice(0, schema.maxItems).flatMap((item, index) => {
    const place = below(path, index);
    if (!isJsonObject(item))
      return [describeIssue({ path: place, code: 'wrong_type', schema: { type: 'object' }, value: item })];
    return (children.get(String(index)) ?? []).flatMap((child) => fieldIssues(child, nested, item, place, document));
  });
  return [...size, ...items];
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
