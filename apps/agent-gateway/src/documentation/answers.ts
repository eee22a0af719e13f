import {
  AgentErrorBody,
  type JsonSchema,
  type OpenApiContent,
  HTTP_CONVENTIONS,
  type FailedCall,
  type OpenApiComponents,
  type OpenApiExample,
  type OpenApiReference,
  type ProvokingRequest,
} from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer } from '@evenkeel/platform/http';
import { refusalExample } from '@evenkeel/platform/openapi';

export const ADDRESS: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };

/** A document that is the same for everybody: the operation that reads it. */
export function DocumentOperation(operationId: string, summary: string, content: OpenApiContent): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId,
      summary,
      description: 'Free, the same for everybody until the next change, kept by caches for five minutes.',
      tags: [TAGS.documents],
      security: [],
    }),
    Answer({ status: 200, description: 'The document', headers: CACHE_HEADERS, content }),
    SharedAnswers({ 304: 'NotModified', 429: 'RateLimited' }),
  );
}

/**
 * The refusal of a question that is free.
 * @param path a question that is refused
 * @param at what is wrong with it, as a pointer
 */
export function MalformedQuestion(path: string, at: string, message: string): MethodDecorator {
  const failed = new ValidationFailed([{ path: at, code: 'bad_format', message }]);
  return Answer({
    status: 400,
    type: AgentErrorBody,
    description: 'The question is not well formed',
    examples: { malformed: errorExample(path, failed, { path }) },
  });
}

export function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** Names of the groups of operations. */
export const TAGS = {
  paid: 'Paid analysis',
  free: 'Before and after paying',
  tools: 'Tools',
  documents: 'Documents',
} as const;

const text = { type: 'string' };

/** Headers that several answers have, as `components.headers`. */
export const ANSWER_HEADERS = {
  RequestId: { description: "The caller's X-Request-Id when it is well formed, else a new one", schema: text },
  PaymentRequired: {
    description: 'The offer as x402 version 2: base64 of JSON, at most 4096 characters',
    schema: text,
  },
  PaymentResponse: {
    description: 'Receipt of the settlement: base64 of JSON with success, transaction, network, payer, amount, status',
    schema: text,
  },
  CreditStatus: { description: 'What became of the credit: redeemed, spent or invalid', schema: text },
  ContentDigest: { description: 'SHA-256 of the body (RFC 9530)', schema: text },
  EngineVersion: { description: 'Of the scoring engine: equal input gives equal bytes for one version', schema: text },
  Receipt: { description: 'Signed receipt: a compact JWS, checked with /.well-known/receipt-jwks.json', schema: text },
  Replayed: { description: 'true on every answer but the first to one payment', schema: text },
  RetryAfter: { description: 'Seconds to wait before the identical request', schema: { type: 'integer', minimum: 1 } },
  RateLimit: { description: 'The state of the limit (IETF draft): "agent";r=599;t=60', schema: text },
  RateLimitPolicy: { description: 'The limit (IETF draft): "agent";q=600;w=60', schema: text },
  ETag: { description: 'For If-None-Match', schema: text },
  Allow: { description: 'The method that pays: POST', schema: text },
} satisfies OpenApiComponents['headers'];

type HeaderName = keyof typeof ANSWER_HEADERS;

/** @param names HTTP name to component */
export function headers(names: Record<string, HeaderName>): Record<string, OpenApiReference> {
  const all: Record<string, HeaderName> = { 'X-Request-Id': 'RequestId', ...names };
  return Object.fromEntries(
    Object.entries(all).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

export const LIMIT_HEADERS = { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } as const;
export const CACHE_HEADERS = { ETag: 'ETag', ...LIMIT_HEADERS } as const;

interface AnswerOptions {
  status: number;
  description: string;
  /** HTTP name to component; by default those of a limit. */
  headers?: Record<string, HeaderName>;
  /** The class of a JSON answer, and examples by name. */
  type?: Type;
  examples?: Record<string, OpenApiExample>;
  /** In place of type and examples. */
  content?: OpenApiContent;
}

/** States the answer of an operation with one status. */
export function Answer({ headers: names = LIMIT_HEADERS, ...answer }: AnswerOptions): MethodDecorator {
  return ApiResponse({ ...answer, headers: headers(names) });
}

/** Answers that are the same wherever they are met. */
export type SharedAnswerName =
  | 'PaymentRequired'
  | 'ProbedOffer'
  | 'AgentPayloadTooLarge'
  | 'AgentUnsupportedMediaType'
  | 'AgentRateLimited'
  | 'AgentInternalError'
  | 'PaymentUnclear'
  | 'AgentNotFound'
  | 'AgentServiceUnavailable'
  | 'RateLimited'
  | 'NotModified';

/** Answers that are the same wherever they are met stand once in `components.responses`. @param answers by status */
export function SharedAnswers(answers: Readonly<Record<number, SharedAnswerName>>): MethodDecorator {
  const shared = Object.entries(answers).map(([status, name]) =>
    ApiResponse({ status: Number(status), $ref: `#/components/responses/${name}` } as ApiResponseOptions),
  );
  return applyDecorators(...shared);
}

/** An error as it is answered on a path. @param error undefined for an unforeseen one */
export function errorExample(
  path: string,
  error?: DomainError,
  provokedBy?: ProvokingRequest,
  about?: FailedCall,
): OpenApiExample {
  return refusalExample(HTTP_CONVENTIONS.errorShape(path, errorAnswer(error), about), provokedBy);
}
