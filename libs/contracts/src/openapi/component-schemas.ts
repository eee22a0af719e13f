import type { Class, JsonSchema } from '../schema/json-schema';
import { published } from '../schema/published';
import { schemaOf, type SchemaOptions } from '../schema/schema-of';

/**
 * The schemas of classes, and of those they are made of, as OpenAPI keeps them: each under its name in `components.schemas`.
 * Standard keywords only.
 */
export function componentSchemas(classes: readonly Class[], options: SchemaOptions): Record<string, JsonSchema> {
  const schemas = classes.map((type) => {
    const { $schema: _, $defs, ...root } = published(schemaOf(type, options));
    return { ...$defs, [type.name]: root };
  });
  return relocated(Object.assign({}, ...schemas)) as Record<string, JsonSchema>;
}

/** Reference to a class in `components.schemas`. */
export function componentOf(type: Class): JsonSchema {
  return { $ref: `#/components/schemas/${type.name}` };
}

function relocated(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relocated);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : relocated(value),
    ]),
  );
}
