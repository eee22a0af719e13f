import { isJsonObject, type JsonSchema, type SchemaDocument } from '@evenkeel/contracts';
import { nestedSchema } from './body-schema';
import { below, MAX_SHOWN_NAME, type ValidationIssue } from './validation-issue';

/**
 * Properties that a closed class does not have, at any depth. class-validator's own whitelist lets names pass that every
 * object has, such as `isPrototypeOf`, and class-transformer drops `toString` before it is seen.
 */
export function* unknownProperties(
  value: Record<string, unknown>,
  schema: JsonSchema,
  document: SchemaDocument,
  path = '',
): Generator<ValidationIssue> {
  const properties = schema.properties ?? {};
  const isClosed = schema.additionalProperties === false;
  for (const name of isClosed ? Object.keys(value) : Object.keys(properties)) {
    if (Object.hasOwn(properties, name)) yield* inNested(value[name], properties[name]!, document, below(path, name));
    else yield unknownProperty(path, name);
  }
}

function* inNested(
  child: unknown,
  property: JsonSchema,
  document: SchemaDocument,
  path: string,
): Generator<ValidationIssue> {
  if (Array.isArray(child)) {
    const { items } = property;
    const nested = items && nestedSchema(items, document);
    if (!nested) return;
    for (const [index, item] of child.entries()) {
      if (isJsonObject(item)) yield* unknownProperties(item, nested, document, below(path, index));
    }
    return;
  }
  const nested = nestedSchema(property, document);
  if (nested && isJsonObject(child)) yield* unknownProperties(child, nested, document, path);
}

function unknownProperty(holder: string, name: string): ValidationIssue {
  const code = 'unknown_property';
  if (name.length <= MAX_SHOWN_NAME) return { path: below(holder, name), code, message: 'is not a known property' };
  return { path: holder, code, message: `has an unknown property with a name of ${name.length} characters` };
}
