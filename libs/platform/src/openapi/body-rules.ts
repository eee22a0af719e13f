import {
  componentSchemas,
  type Class,
  type JsonSchema,
  type OpenApiComponents,
  type OpenApiOperation,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import type { INestApplicationContext } from '@nestjs/common';
import { PARAMTYPES_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import { errorAnswer, PayloadTooLarge, UnsupportedMediaType } from '../http';
import { mapped, refusalExample } from './documents';

/** Where `@ApiBody` and its like keep what they say. */
const STATED_PARAMETERS = 'swagger/apiParameters';

type Schemas = NonNullable<OpenApiComponents['schemas']>;

/** The classes with rules that the handlers of an application take. */
export function ruledClasses(app: INestApplicationContext): Class[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const taken = controllers.flatMap(({ metatype }) => {
    const prototype = (metatype as unknown as Class).prototype as object;
    return new MetadataScanner()
      .getAllMethodNames(prototype)
      .flatMap((name) => [
        ...((Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name) ?? []) as Class[]),
        ...describedBodies((prototype as Record<string, object>)[name]!),
      ]);
  });
  return [...new Set(taken)].filter(hasRules);
}

/** Of a handler that reads its body itself: what `@ApiBody` says. */
function describedBodies(handler: object): Class[] {
  const parameters = (Reflect.getMetadata(STATED_PARAMETERS, handler) ?? []) as { in: string; type?: Class }[];
  return parameters.flatMap(({ in: place, type }) => (place === 'body' && type ? [type] : []));
}

function hasRules(type: unknown): type is Class {
  return (
    typeof type === 'function' && getMetadataStorage().getTargetValidationMetadatas(type, '', true, false).length > 0
  );
}

/**
 * The schemas of bodies as their validator has them: what is required, every bound, and nothing besides. The words
 * (descriptions, formats, defaults) stay those of the decorators for OpenAPI.
 * @param stated what Nest reads of the decorators
 */
export function withRules(stated: Schemas, classes: readonly Class[]): Schemas {
  const rules = componentSchemas(classes, { closed: true });
  return mapped(stated, (schema, name) => (rules[name] ? ruled(schema, rules[name]) : schema));
}

function ruled(stated: JsonSchema, { properties: rules = {}, required, additionalProperties }: JsonSchema): JsonSchema {
  const { properties: described = {} } = stated;
  const properties = mapped({ ...rules, ...described }, (property, name) =>
    name in described && name in rules ? ruledProperty(property, rules[name]!) : property,
  );
  const { required: _, ...rest } = stated;
  return {
    ...rest,
    properties,
    ...(required && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

const RULES = ['type', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const;

function ruledProperty(stated: JsonSchema & { nullable?: boolean }, rule: JsonSchema): JsonSchema {
  if (rule.$ref || stated.$ref || stated.anyOf || stated.oneOf || 'allOf' in stated) return stated;
  const { minLength, maxLength, nullable, ...words } = stated;
  // A pattern says how long a text is without the white space around it.
  const isCounted = rule.pattern === undefined;
  const found = RULES.filter((keyword) => rule[keyword] !== undefined).map((keyword) => [keyword, rule[keyword]]);
  return {
    ...words,
    ...(isCounted && minLength !== undefined && { minLength }),
    ...(isCounted && maxLength !== undefined && { maxLength }),
    ...(nullable !== undefined && !Array.isArray(rule.type) && { nullable }),
    ...(Object.fromEntries(found) as JsonSchema),
  };
}

const JSON_TYPE = 'application/json';

/** Adds the refusals of a body (no JSON, too long, another type) to operations that take JSON and do not state them. */
export function withRefusalsOfBodies({ requestBody, responses, ...operation }: OpenApiOperation): OpenApiOperation {
  const takesJson = requestBody !== undefined && JSON_TYPE in requestBody.content;
  const { 400: invalid, 413: tooLong } = responses;
  const malformed = takesJson &&
    !tooLong &&
    invalid &&
    'description' in invalid && {
      400: { ...invalid, description: `${invalid.description}; \`malformed_json\`: no JSON` },
    };
  return {
    ...operation,
    ...(requestBody && { requestBody }),
    responses: { ...(takesJson && { 413: TOO_LONG, 415: OF_ANOTHER_TYPE }), ...responses, ...malformed },
  };
}

const TOO_LONG = refusal('`payload_too_large`', new PayloadTooLarge({ max_bytes: 131_072 }));
const OF_ANOTHER_TYPE = refusal('`unsupported_media_type`: a body is JSON in UTF-8', new UnsupportedMediaType());

function refusal(description: string, error: PayloadTooLarge | UnsupportedMediaType): OpenApiResponse {
  const examples = { recorded: refusalExample(errorAnswer(error).body) };
  return { description, content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/ErrorBody' }, examples } } };
}
