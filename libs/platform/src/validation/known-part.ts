import { isJsonObject, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';
import { nestedSchema } from './body-schema';

/**
 * A copy with only what the schema names, because class-transformer calls what it finds under `constructor`, and takes a
 * time that grows with the square of the number of properties. Free-form objects come out empty: that they are objects
 * is all that is checked. Lists stop one item after their limit.
 */
export function knownPart(
  value: Record<string, unknown>,
  schema: JsonSchema,
  document: SchemaDocument,
): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(value, name)) known[name] = knownValue(value[name], property, document);
  }
  return known;
}

function knownValue(value: unknown, property: JsonSchema, document: SchemaDocument): unknown {
  if (Array.isArray(value)) {
    const items = property.items ?? {};
    const limit = property.maxItems === undefined ? value.length : property.maxItems + 1;
    return value.slice(0, limit).map((item) => knownValue(item, items, document));
  }
  if (!isJsonObject(value)) return value;
  const nested = nestedSchema(property, document);
  return nested ? knownPart(value, nested, document) : {};
}
