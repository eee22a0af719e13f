import { isJsonObject, type Class, type JsonSchema } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { bodySchema, type Field } from './body-schema';
import { constraintIssues, notAnObject, required, type FailedConstraints } from './describe-issue';
import { unknownProperties } from './unknown-properties';
import { MAX_ISSUES, Place, type ValidationIssue } from './validation-issue';

type Properties = Record<string, unknown>;

interface Validation<T> {
  /** At most 100. */
  issues: ValidationIssue[];
  /** Only when there are no issues. Free-form objects in it are empty: checked, then dropped. */
  instance: T | undefined;
}

/**
 * Validates a parsed body by the decorators of its class: issues in the order of the fields, unknown properties last. The
 * objects in it are validated one after another, and none after the hundredth issue.
 */
export function validate<T extends object>(type: Class<T>, value: unknown): Validation<T> {
  const issues: ValidationIssue[] = [];
  const search = issuesOf(type, value);
  for (let step = search.next(); ; step = search.next()) {
    if (step.done) return { issues, instance: issues.length > 0 ? undefined : step.value };
    issues.push(step.value);
    if (issues.length === MAX_ISSUES) return { issues, instance: undefined };
  }
}

/** What a search for issues makes of a value on the way: an instance of its class. */
type Search<T> = Generator<ValidationIssue, T>;

function* issuesOf<T extends object>(type: Class<T>, body: unknown): Search<T | undefined> {
  if (!isJsonObject(body)) {
    yield notAnObject(body, Place.WHOLE_BODY);
    return undefined;
  }
  const instance = yield* objectIssues(type, body, Place.WHOLE_BODY);
  yield* unknownProperties(type, body);
  return instance;
}

function* objectIssues<T extends object>(type: Class<T>, value: Properties, place: Place): Search<T> {
  const { fields } = bodySchema(type);
  const instance = withoutNested(type, value, fields);
  // Unknown values are refused by the closed schema; the setting of that name would refuse a class without fields.
  const errors = validateSync(instance, { forbidUnknownValues: false, validationError: { target: false } });
  const failed = new Map(errors.map(({ property, constraints = {} }) => [property, constraints]));
  for (const field of fields) {
    const { name, nested } = field;
    const sent = Object.hasOwn(value, name) ? value[name] : undefined;
    const constraints = failed.get(name);
    if (sent === undefined) {
      if (constraints) yield required(place.below(name));
    } else if (constraints || nested) {
      const held = yield* fieldIssues(field, sent, constraints ?? {}, place.below(name));
      if (held) instance[name as keyof T] = held as T[keyof T];
    }
  }
  return instance;
}

/** @returns the instance, or the list of instances, that the field holds */
function* fieldIssues(
  field: Field,
  value: unknown,
  constraints: FailedConstraints,
  place: Place,
): Search<object | undefined> {
  const { nested, isList } = field;
  const own = constraintIssues(constraints, field, value, place);
  yield* own;
  if (nested && isList && Array.isArray(value)) return yield* itemIssues(nested, value, field.schema, place);
  if (nested && own.length === 0 && isJsonObject(value)) return yield* objectIssues(nested, value, place);
  return undefined;
}

/** The items of a list of objects, each in turn, and none beyond its limit. */
function* itemIssues(type: Class, list: readonly unknown[], { maxItems }: JsonSchema, place: Place): Search<object[]> {
  const instances: object[] = [];
  for (const [index, item] of list.slice(0, maxItems).entries()) {
    if (isJsonObject(item)) instances.push(yield* objectIssues(type, item, place.below(index)));
    else yield notAnObject(item, place.below(index));
  }
  return instances;
}

/**
 * An instance in which nested objects are empty, and lists of them have their length alone: class-validator sees that they
 * are there, and no more.
 */
function withoutNested<T extends object>(type: Class<T>, value: Properties, fields: readonly Field[]): T {
  const instance = plainToInstance(type, knownPart(value, fields)) as T & Properties;
  for (const { name, nested, schema } of fields) {
    const held = nested && Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof held !== 'object' || held === null) continue;
    (instance as Properties)[name] = Array.isArray(held) ? Array(Math.min(held.length, lengthTo(schema))) : {};
  }
  return instance;
}

/**
 * A copy with only what the class names, because class-transformer calls what it finds under `constructor`, and takes a
 * time that grows with the square of the number of properties.
 */
function knownPart(value: Properties, fields: readonly Field[]): Properties {
  const known: Properties = {};
  for (const { name, schema, nested } of fields) {
    if (Object.hasOwn(value, name)) known[name] = nested ? emptied(value[name]) : knownValue(value[name], schema);
  }
  return known;
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isJsonObject(value) ? {} : value;
}

/**
 * Free-form objects come out empty: that they are objects is all that is checked. So do lists where none may be; others stop
 * one item after their limit.
 */
function knownValue(value: unknown, schema: JsonSchema): unknown {
  const { type, items = {} } = schema;
  if (!Array.isArray(value) || (type !== undefined && ![type].flat().includes('array'))) return emptied(value);
  return value.slice(0, lengthTo(schema)).map((item) => knownValue(item, items));
}

/** How much of a list shows that it is too long. */
function lengthTo({ maxItems = Infinity }: JsonSchema): number {
  return maxItems + 1;
}
