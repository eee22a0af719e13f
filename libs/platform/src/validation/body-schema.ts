import {
  hasTrimmedLength,
  isInstant,
  isOwnRule,
  nestedClass,
  schemaOf,
  type CharacterRange,
  type Class,
  type JsonSchema,
} from '@evenkeel/contracts';
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import type { DataValidateFunction } from 'ajv/dist/types';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';

/** One property of a body class, as its decorators say it. */
export interface Field {
  name: string;
  schema: JsonSchema;
  /** Class of the object that it holds, or of the items of its list. */
  nested: Class | undefined;
  /** Whether it holds a list. */
  isList: boolean;
}

/** The schema of a body class. */
interface BodySchema {
  /** In the order of the class. */
  fields: readonly Field[];
  required: readonly string[];
  properties: Readonly<Record<string, JsonSchema>>;
}

const schemas = new WeakMap<Class, BodySchema>();

/** The closed schema of a body class, read from its decorators once. */
export function bodySchema(type: Class): BodySchema {
  const known = schemas.get(type);
  if (known) return known;
  const { properties = {}, required = [] } = schemaOf(type, { closed: true });
  const fields = Object.entries(properties).map(([name, schema]) => {
    return { name, schema, nested: nestedClass(type, name), isList: [schema.type].flat().includes('array') };
  });
  const schema = { fields, required, properties };
  schemas.set(type, schema);
  return schema;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FORMATS = { 'date-time': isInstant, uuid: UUID };

let shared: Ajv2020 | undefined;

/**
 * Turns a schema into a function that says yes or no, in 1 or 2 us. Compiling takes milliseconds: once, at start.
 * @throws Error for a schema with a keyword or format that it does not know
 */
export function compileValidator(schema: JsonSchema): (value: unknown) => boolean {
  shared ??= withOurKeywords(false);
  return shared.compile(schema);
}

let thorough: Ajv2020 | undefined;
const finders = new WeakMap<Class, (value: unknown) => ErrorObject[]>();

/**
 * A function that finds everything that is wrong with a body, by its schema and by the rules of its class that JSON Schema
 * has no word for. Compiled when it is first asked for.
 */
export function findErrorsOf(type: Class): (value: unknown) => ErrorObject[] {
  const known = finders.get(type);
  if (known) return known;
  thorough ??= withOurKeywords(true);
  const accepts = thorough.compile(withOwnRules(type));
  const find = (value: unknown) => (accepts(value) ? [] : accepts.errors!);
  finders.set(type, find);
  return find;
}

function withOurKeywords(allErrors: boolean): Ajv2020 {
  // Keywords and their types are checked without the schema of schemas, which takes 15 to 40 ms of a start to compile.
  const options = { strict: true, strictTypes: !allErrors, validateSchema: false, messages: false, formats: FORMATS };
  return new Ajv2020({ ...options, allErrors })
    .addKeyword({
      keyword: 'trimmedLength',
      type: 'string',
      schemaType: 'object',
      errors: false,
      compile: (range: CharacterRange) => (text: string) => hasTrimmedLength(text, range),
    })
    .addKeyword({ keyword: 'ownRules', schemaType: 'array', errors: true, compile: failedRules });
}

/** A decorator that JSON Schema has no word for. */
export interface OwnRule {
  name: string;
  /** With the name of the property in it. */
  message: string;
  /** Of a rule for lengths: least and most. */
  bounds: readonly unknown[];
  holds: (value: unknown) => boolean;
}

function failedRules(rules: readonly OwnRule[]): DataValidateFunction {
  const check: DataValidateFunction = (value: unknown) => {
    const failed = rules.filter((rule) => !rule.holds(value));
    check.errors = failed.map((rule) => ({ keyword: 'ownRules', params: { rule } }));
    return failed.length === 0;
  };
  return check;
}

function withOwnRules(type: Class): JsonSchema {
  const schema = schemaOf(type, { closed: true });
  const add = (owner: Class, { properties = {} }: JsonSchema): void => {
    for (const { name, nested } of bodySchema(owner).fields) {
      const ownRules = rulesOf(owner, name, allowsNull(properties[name]!));
      if (ownRules.length > 0) Object.assign(properties[name]!, { ownRules });
      if (nested) add(nested, schema.$defs[nested.name]!);
    }
  };
  add(type, schema);
  return schema;
}

function allowsNull({ type, anyOf }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf !== undefined;
}

function rulesOf(type: Class, property: string, mayBeNull: boolean): OwnRule[] {
  const storage = getMetadataStorage();
  const stated = storage.getTargetValidationMetadatas(type, '', true, false);
  const own = stated.filter(
    ({ propertyName, name }) => propertyName === property && name !== undefined && isOwnRule(name),
  );
  return own.flatMap(({ name = '', constraints = [], constraintCls }) =>
    storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => {
      const about = { targetName: type.name, property, object: {}, value: undefined, constraints };
      const holds = (value: unknown, asked: ValidationArguments = { ...about, value }): boolean =>
        (mayBeNull && value === null) || instance.validate(value, asked) === true;
      return { name, bounds: constraints, message: instance.defaultMessage?.(about) ?? '', holds };
    }),
  );
}
