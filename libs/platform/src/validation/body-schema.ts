import { schemaOf, type Class, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';

const documents = new WeakMap<Class, SchemaDocument>();

/** The closed schema of a body class, read from its decorators once. */
export function bodySchema(type: Class): SchemaDocument {
  const known = documents.get(type);
  if (known) return known;
  const document = schemaOf(type, { closed: true });
  documents.set(type, document);
  return document;
}

/** The schema of the class that a property holds, or that the items of a list are of. */
export function nestedSchema(property: JsonSchema, { $defs }: SchemaDocument): JsonSchema | undefined {
  const $ref = property.$ref ?? property.anyOf?.find((either) => either.$ref)?.$ref;
  return $ref === undefined ? undefined : $defs[$ref.replace('#/$defs/', '')];
}
