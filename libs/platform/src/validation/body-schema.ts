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
import { getMetadataStorage } from 'class-validator';

/** One property of a body class, as its decorators say it. */
export interface Field {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
  /** Class of the object that it holds, or of the items of its list. */
  nested: Class | undefined;
}

const known = new WeakMap<Class, readonly Field[]>();

/** The properties of a body class in its order, read from its decorators once. */
export function fieldsOf(type: Class): readonly Field[] {
  let fields = known.get(type);
  if (fields) return fields;
  const { properties = {}, required = [] } = schemaOf(type, { closed: true });
  fields = Object.entries(properties).map(([name, schema]) => {
    return { name, schema, isRequired: required.includes(name), nested: nestedClass(type, name) };
  });
  known.set(type, fields);
  return fields;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function withOurKeywords(allErrors: boolean): Ajv2020 {
  return new Ajv2020({
    strict: true,
    strictTypes: !allErrors,
    allErrors,
    verbose: allErrors,
    messages: false,
    // Keywords and their types are checked without the schema of schemas, which takes 15 to 40 ms of a start to compile.
    validateSchema: false,
    formats: { 'date-time': isInstant, uuid: UUID },
  })
    .addKeyword({
      keyword: 'trimmedLength',
      type: 'string',
      schemaType: 'object',
      errors: false,
      compile: (range: CharacterRange) => (text: string) => hasTrimmedLength(text, range),
    })
    .addKeyword({ keyword: 'ownRules', schemaType: 'array', errors: true, compile: failedRules });
}

let quick: Ajv2020 | undefined;

/**
 * Turns a schema into a function that says yes or no, in 1 or 2 us. Compiling takes milliseconds: once, at start.
 * @throws Error for a schema with a keyword or format that it does not know
 */
export function compileValidator(schema: JsonSchema): (value: unknown) => boolean {
  quick ??= withOurKeywords(false);
  return quick.compile(schema);
}

let thorough: Ajv2020 | undefined;
const finders = new WeakMap<Class, (value: unknown) => ErrorObject[]>();

/**
 * A function that finds everything that is wrong with a body, by its schema and by the rules of its class that JSON Schema
 * has no word for. Compiled when it is first asked for.
 */
export function findErrorsOf(type: Class): (value: unknown) => ErrorObject[] {
  let find = finders.get(type);
  if (find) return find;
  thorough ??= withOurKeywords(true);
  const accepts = thorough.compile(withOwnRules(type));
  find = (value) => (accepts(value) ? [] : accepts.errors!);
  finders.set(type, find);
  return find;
}

/** A decorator that JSON Schema has no word for. */
export interface OwnRule {
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
    for (const { name, nested } of fieldsOf(owner)) {
      const ownRules = rulesOf(owner, name, properties[name]!);
      if (ownRules.length > 0) Object.assign(properties[name]!, { ownRules });
      if (nested) add(nested, schema.$defs[nested.name]!);
    }
  };
  add(type, schema);
  return schema;
}

function rulesOf(owner: Class, property: string, schema: JsonSchema): OwnRule[] {
  const mayBeNull = [schema.type].flat().includes('null') || schema.anyOf !== undefined;
  const storage = getMetadataStorage();
  const stated = storage.getTargetValidationMetadatas(owner, '', true, false);
  const own = stated.filter(({ propertyName, name }) => propertyName === property && name && isOwnRule(name));
  return own.flatMap(({ constraints = [], constraintCls }) =>
    storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => {
      const about = { targetName: owner.name, property, object: {}, value: undefined, constraints };
      const holds = (value: unknown): boolean =>
        (mayBeNull && value === null) || instance.validate(value, { ...about, value }) === true;
      return { bounds: constraints, message: instance.defaultMessage?.(about) ?? '', holds };
    }),
  );
}
