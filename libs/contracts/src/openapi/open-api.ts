import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppName } from '../routes';
import { type Class, type JsonSchema, published, rewritten, schemaOf, type SchemaOptions } from '../schema/schema-of';

/** Beside `src` and `dist`, so that both find it. */
export const OPEN_API_FOLDER = join(__dirname, '../../openapi');

/** The part of OpenAPI 3.1 that our documents use. */
export interface OpenApiDocument {
  openapi: string;
  info: OpenApiInfo;
  servers?: { url: string; description?: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, OpenApiPath>;
  components?: OpenApiComponents;
  [extension: `x-${string}`]: unknown;
}

interface OpenApiInfo {
  title: string;
  version: string;
  description?: string;
  [member: string]: unknown;
}

export type OpenApiMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type OpenApiPath = Partial<Record<OpenApiMethod, OpenApiOperation>>;

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  /** `[]` states that no key is needed, for what is free and for what is paid. */
  security: Record<string, string[]>[];
  parameters?: OpenApiParameter[];
  requestBody?: { required: boolean; description?: string; content: OpenApiContent };
  responses: Record<string, OpenApiResponse | OpenApiReference>;
  [extension: `x-${string}`]: unknown;
}

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  examples?: Record<string, OpenApiExample>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiHeader | OpenApiReference>;
  content?: OpenApiContent;
  links?: Record<string, OpenApiLink>;
}

/** An operation that an answer leads to. */
interface OpenApiLink {
  operationId: string;
  description: string;
}

interface OpenApiHeader {
  description: string;
  schema: JsonSchema;
}

export type OpenApiContent = Record<string, OpenApiMedia>;

interface OpenApiMedia {
  schema: JsonSchema;
  /** A request and its answer have the same name. */
  examples?: Record<string, OpenApiExample>;
}

export interface OpenApiExample {
  summary?: string;
  value: unknown;
  /** The request that provokes the answer, where that is not the example of the request that has its name. */
  'x-request'?: ProvokingRequest;
}

export interface ProvokingRequest {
  body?: unknown;
  /** In place of the operation's, with its parameters. */
  path?: string;
  headers?: Record<string, string>;
}

export interface OpenApiReference {
  $ref: string;
}

export interface OpenApiComponents {
  schemas?: Record<string, JsonSchema>;
  responses?: Record<string, OpenApiResponse>;
  headers?: Record<string, OpenApiHeader>;
  parameters?: Record<string, OpenApiParameter>;
  securitySchemes?: Record<string, object>;
}

/**
 * The schemas of classes, and of those they are made of, as OpenAPI has them: each under its name in `components.schemas`.
 * Standard keywords only.
 */
export function componentSchemas(classes: readonly Class[], options: SchemaOptions): Record<string, JsonSchema> {
  const schemas = classes.map((type) => {
    const { $schema: _, $defs, ...root } = published(schemaOf(type, options));
    return { ...$defs, [type.name]: root };
  });
  const relocated = rewritten(Object.assign({}, ...schemas), (node: JsonSchema) =>
    node.$ref ? { ...node, $ref: node.$ref.replace('#/$defs/', '#/components/schemas/') } : node,
  );
  return relocated as Record<string, JsonSchema>;
}

/** Reference to a class in `components.schemas`. */
export function componentOf(type: Class): JsonSchema {
  return { $ref: `#/components/schemas/${type.name}` };
}

/** The part of each app about its own routes. An app that is not built yet says nothing. */
export function openApiParts(): Map<AppName, OpenApiDocument> {
  const files = readdirSync(OPEN_API_FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [
      file.replace('.json', '') as AppName,
      JSON.parse(readFileSync(join(OPEN_API_FOLDER, file), 'utf8')) as OpenApiDocument,
    ]),
  );
}
