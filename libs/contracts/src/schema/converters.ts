import type { JsonSchema } from './json-schema';
import { nestedClass } from './nested.decorator';

interface DecoratorMetadata {
  target: Function | string;
  propertyName: string;
  /** Of the decorators below: bounds. */
  constraints: number[];
}

type Converter = (metadata: DecoratorMetadata) => JsonSchema;

/**
 * What each decorator says in JSON Schema, where class-validator-jsonschema says it differently or not at all.
 * Bounds leave the type to the type decorators, so that the order of decorators does not matter.
 */
export const CONVERTERS: Record<string, Converter> = {
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

export function reference(type: Function): string {
  return `#/$defs/${type.name}`;
}
