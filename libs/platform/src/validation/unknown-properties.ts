import { isJsonObject, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';
import { nestedSchema } from './body-schema';
import { below, type ValidationIssue } from './validation-issue';

/**
 * Properties that a closed class does not have, at any depth. class-validator's own whitelist lets names pass that every
 * object has, such as `isPrototypeOf`, and class-transformer drops `toString` before it is seen.
 */
export function unknownProperties(
  value: Record<string, unknown>,
  schema: JsonSchema,
  document: SchemaDocument,
  path = '',
): ValidationIssue[] {
  const properties = schema.properties ?? {};
  return Object.entries(value).flatMap(([name, child]) => {
    const place = below(path, name);
    if (!Object.hasOwn(properties, name)) return schema.additionalProperties === false ? [unknownProperty(place)] : [];
    return inNested(child, properties[name]!, document, place);
  });
}

function inNested(child: unknown, property: JsonSchema, document: SchemaDocument, path: string): ValidationIssue[] {
  if (Array.isArray(child)) {
    const items = property.items;
    if (!items) return [];
    return child.flatMap((item, index) =>
      Array.isArray(item) ? [] : inNested(item, items, document, below(path, index)),
    );
  }
  const nested = nestedSchema(property, document);
  return nested && isJsonObject(child) ? unknownProperties(child, nested, document, path) : [];
}

function unknownProperty(path: string): ValidationIssue {
  return { path, code: 'unknown_property', message: 'is not a known property' };
}
