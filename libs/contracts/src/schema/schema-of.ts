import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { defaultConverters } from 'class-validator-jsonschema/build/defaultConverters';
import { isNotNull, isPresent, nestedClass } from './field.decorators';
import { forGenerators } from './for-generators';

/** A class that describes a body: constructed without arguments, its fields decorated. */
export type Class<T extends object = object> = new () => T;

/** The part of JSON Schema (draft 2020-12) that our decorators can say. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  /** The value of an absent property. No validator fills it in. */
  default?: unknown;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  /** The description limits it further than the keywords can: a value that fits them may be refused with 400. */
  'x-limited-in-words'?: true;
  /** Our own keyword: characters that are left after trimming. `published` replaces it by a pattern. */
  trimmedLength?: CharacterRange;
}

/** Marks a schema whose description has a rule that JSON Schema has no word for, such as "at most today". */
export const LIMITED_IN_WORDS = { 'x-limited-in-words': true } as const;

export interface CharacterRange {
  minimum: number;
  maximum: number;
}

/** A complete document: every reference in it is `#/$defs/…` and resolves inside it. */
export interface SchemaDocument extends JsonSchema {
  $schema: string;
  $defs: Record<string, JsonSchema>;
}

/**
 * The same schema in standard keywords only, for readers that do not know ours, and for generators. It accepts the same
 * bodies, but that a boolean or a fraction of one value may have another.
 */
export function published<T extends JsonSchema>(schema: T): T {
  const standard = rewritten(schema, ({ trimmedLength, ...rest }: JsonSchema) =>
    trimmedLength ? { ...rest, ...trimmedPattern(trimmedLength) } : rest,
  );
  return forGenerators(standard) as T;
}

/** The same document with each object in it changed, the inmost first. */
export function rewritten(node: unknown, change: (object: Record<string, unknown>) => object): unknown {
  if (Array.isArray(node)) return node.map((one) => rewritten(one, change));
  if (typeof node !== 'object' || node === null) return node;
  return change(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewritten(value, change)])));
}

/** `\s` of a pattern is exactly the white space that `trim` removes. */
function trimmedPattern({ minimum, maximum }: CharacterRange): JsonSchema {
  if (minimum > 1) return { minLength: minimum, pattern: `^\\s*\\S[\\s\\S]{${minimum - 2},${maximum - 2}}\\S\\s*$` };
  const text = `\\S(?:[\\s\\S]{0,${maximum - 2}}\\S)?`;
  return minimum === 1 ? { minLength: 1, pattern: `^\\s*${text}\\s*$` } : { pattern: `^\\s*(?:${text})?\\s*$` };
}

interface DecoratorMetadata {
  target: Function | string;
  propertyName: string;
  /** Of the decorators below: bounds. */
  constraints: number[];
}

type Converter = (metadata: DecoratorMetadata) => JsonSchema;

/**
 * The JSON Schema of decorators that class-validator-jsonschema reads differently or not at all.
 * Bounds leave the type to the type decorators, so that the order of decorators does not matter.
 */
const CONVERTERS: Record<string, Converter> = {
  // A rule that is not listed: the package would refer to the class of the property.
  [ValidationTypes.CUSTOM_VALIDATION]: () => ({}),
  min: ({ constraints }) => ({ minimum: constraints[0] }),
  max: ({ constraints }) => ({ maximum: constraints[0] }),
  arrayMinSize: ({ constraints }) => ({ minItems: constraints[0] }),
  arrayMaxSize: ({ constraints }) => ({ maxItems: constraints[0] }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  isJsonObject: () => ({}),
  holdsObjects: () => ({}),
  maxCharacters: ({ constraints }) => ({ maxLength: constraints[0] }),
  trimmedLength: ({ constraints: [minimum = 0, maximum = 0] }) => ({ trimmedLength: { minimum, maximum } }),
  isInstant: () => ({ type: 'string', format: 'date-time' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  nestedValidation: (metadata) => {
    const type = nestedClass(metadata.target as Function, metadata.propertyName);
    if (!type) throw new TypeError(`${metadata.propertyName} needs @Nested or @ListOf to appear in a schema`);
    return { $ref: reference(type) };
  },
};

/**
 * Whether a decorator has no words in the schema, so that a validator of the schema must ask it besides. Those of ours are
 * known by their names, which are none of class-validator's.
 */
export function isOwnRule(decorator: string): boolean {
  return !Object.hasOwn(defaultConverters, decorator) && !Object.hasOwn(CONVERTERS, decorator);
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

export interface SchemaOptions {
  /**
   * Properties without a decorator are refused (requests), except in classes marked with
   * `@JSONSchema({ additionalProperties: true })`. Not closed: they are not spoken of (results, which may grow).
   */
  closed: boolean;
}

/**
 * The JSON Schema of a body, read from its decorators.
 * @param forms the classes it may have; with more than one, exactly one must fit
 */
export function schemaOf(forms: Class | readonly Class[], options: SchemaOptions): SchemaDocument {
  const classes = Array.isArray(forms) ? (forms as readonly Class[]) : [forms as Class];
  const [only, ...others] = classes;
  if (!only) throw new TypeError('a schema needs at least one class');
  const $defs: Record<string, JsonSchema> = {};
  if (others.length === 0) {
    const root = define(only, options, $defs);
    return { $schema: DRAFT, ...root, $defs };
  }
  for (const form of classes) collect(form, options, $defs);
  return { $schema: DRAFT, oneOf: classes.map((form) => ({ $ref: reference(form) })), $defs };
}

function collect(type: Class, options: SchemaOptions, $defs: Record<string, JsonSchema>): void {
  if (Object.hasOwn($defs, type.name)) return;
  $defs[type.name] = {}; // keeps its place and ends a cycle
  $defs[type.name] = define(type, options, $defs);
}

/** Schema of one class; the classes it refers to are added to `$defs`. */
function define(type: Class, options: SchemaOptions, $defs: Record<string, JsonSchema>): JsonSchema {
  const {
    properties = {},
    required,
    type: _,
    ...described
  } = targetConstructorToSchema(type, {
    additionalConverters: CONVERTERS as never,
  }) as JsonSchema;
  const nullable = propertiesUnless(isNotNull, type);
  const optional = propertiesUnless(isPresent, type);
  for (const [name, property] of Object.entries(properties)) {
    if (nullable.has(name)) properties[name] = orNull(property);
    const nested = nestedClass(type, name);
    if (nested) collect(nested, options, $defs);
  }
  const needed = Object.keys(properties).filter(
    (name) => required?.includes(name) || (nullable.has(name) && !optional.has(name)),
  );
  return {
    type: 'object',
    properties,
    ...(needed.length > 0 && { required: needed }),
    ...(options.closed && { additionalProperties: false }),
    ...described,
  };
}

/** class-validator-jsonschema takes every condition for "optional": a nullable property is required all the same, unless it is both. */
function propertiesUnless(condition: typeof isNotNull, type: Class): Set<string> {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  const conditional = metadata.filter(
    ({ type: kind, constraints }) => kind === ValidationTypes.CONDITIONAL_VALIDATION && constraints[0] === condition,
  );
  return new Set(conditional.map(({ propertyName }) => propertyName));
}

function orNull(property: JsonSchema): JsonSchema {
  const { description, ...schema } = property;
  // Said by hand already, of a property without a type decorator.
  if (Array.isArray(schema.type) && schema.type.includes('null')) return property;
  const either: JsonSchema =
    typeof schema.type === 'string' && !schema.enum
      ? { ...schema, type: [schema.type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] };
  return description === undefined ? either : { ...either, description };
}

function reference(type: Function): string {
  return `#/$defs/${type.name}`;
}
