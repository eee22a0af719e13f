import type { JsonSchema } from '../schema/json-schema';

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

export interface OpenApiInfo {
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
  /** `[]` says in so many words that nobody needs a key, for what is free and for what is paid. */
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
}

export interface OpenApiHeader {
  description: string;
  schema: JsonSchema;
}

export type OpenApiContent = Record<string, OpenApiMedia>;

export interface OpenApiMedia {
  schema: JsonSchema;
  /** A request and its answer have the same name. */
  examples?: Record<string, OpenApiExample>;
}

export interface OpenApiExample {
  summary?: string;
  value: unknown;
  /** What provokes the answer, where that is not the example of the request that has its name. */
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
