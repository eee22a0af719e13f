import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { CONVERTERS, reference } from './converters';
import type { Class, JsonSchema, SchemaDocument } from './json-schema';
import { nestedClass } from './nested.decorator';
import { isNotNull } from './presence.decorator';

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
  const nullable = nullableProperties(type);
  for (const [name, property] of Object.entries(properties)) {
    if (nullable.has(name)) properties[name] = orNull(property);
    const nested = nestedClass(type, name);
    if (nested) collect(nested, options, $defs);
  }
  const needed = Object.keys(properties).filter((name) => required?.includes(name) || nullable.has(name));
  return {
    type: 'object',
    properties,
    ...(needed.length > 0 && { required: needed }),
    ...(options.closed && { additionalProperties: false }),
    ...described,
  };
}

/** class-validator-jsonschema takes every condition for "optional"; a nullable property is required all the same. */
function nullableProperties(type: Class): Set<string> {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  const nullable = metadata.filter(
    ({ type: kind, constraints }) => kind === ValidationTypes.CONDITIONAL_VALIDATION && constraints[0] === isNotNull,
  );
  return new Set(nullable.map(({ propertyName }) => propertyName));
}

function orNull(property: JsonSchema): JsonSchema {
  const { description, ...schema } = property;
  const either: JsonSchema =
    typeof schema.type === 'string' && !schema.enum
      ? { ...schema, type: [schema.type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] };
  return description === undefined ? either : { ...either, description };
}
