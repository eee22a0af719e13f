import { AgentErrorBody, type JsonSchema, type OpenApiContent } from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { applyDecorators } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Answer, CACHE_HEADERS, errorExample, SharedAnswers, TAGS } from './answers';

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
