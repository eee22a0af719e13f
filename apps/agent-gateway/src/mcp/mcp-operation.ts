import type { JsonSchema, OpenApiExample } from '@evenkeel/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Answer, SharedAnswers, TAGS } from '../documentation/answers';

/** Messages of one request, which clients of the protocol of 2025-03-26 may send together. */
export const MAX_BATCH = 20;

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const INTEGER: JsonSchema = { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
/** Not a list of types: some generators of clients take one type alone. */
const ID: JsonSchema = { anyOf: [{ type: 'string' }, INTEGER] };
/** Of a message that could not be taken: as it came. */
const ANY_ID: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] };
const VERSION: JsonSchema = { type: 'string', enum: ['2.0'] };

const REQUEST: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: { jsonrpc: VERSION, id: ID, method: { type: 'string' }, params: { type: 'object' } },
};

const ANSWER: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: { jsonrpc: VERSION, id: ID, result: { type: 'object' }, error: { type: 'object' } },
};

const REFUSAL: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  properties: { jsonrpc: VERSION, id: ANY_ID, error: { type: 'object' } },
};

/** In words, since a generator that makes a type of "one, or a list" makes one that does not compile. */
function orBatch(message: JsonSchema): JsonSchema {
  return { ...message, description: `Or a batch: an array of 1 to ${MAX_BATCH} of these` };
}

/** The same offers for models that call tools. */
export function McpOperation(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'sendMcpMessage',
      summary: 'MCP over streamable HTTP: every endpoint as a tool',
      description:
        'One JSON-RPC message per request, or a batch in which each has an id of its own; no session. tools/list is free; a paid tool answers its price as a result and takes the ' +
        'payment in params._meta["x402/payment"]. Prices, ledger and answers are those of the paid endpoints.',
      tags: [TAGS.tools],
      security: [],
    }),
    ApiBody({ schema: orBatch(REQUEST) as object, examples: { ping: { value: PING } } }),
    answer(200, 'The answer to a request; of a batch, the answers to its requests', {
      ping: { value: { jsonrpc: '2.0', id: 1, result: {} } },
    }),
    Answer({ status: 202, description: 'A notification was taken' }),
    answer(400, 'No message of JSON-RPC', {
      twice: {
        value: { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Two messages have the same id.' } },
        'x-request': { body: [PING, PING] },
      },
    }),
    answer(403, 'The name of a Host or Origin is not ours', {
      origin: {
        value: { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Invalid Origin: evil.example' } },
        'x-request': { body: PING, headers: { origin: 'https://evil.example' } },
      },
    }),
    SharedAnswers({ 413: 'AgentPayloadTooLarge', 415: 'AgentUnsupportedMediaType', 429: 'AgentRateLimited' }),
  );
}

function answer(status: number, description: string, examples: Record<string, OpenApiExample>): MethodDecorator {
  return Answer({
    status,
    description,
    content: { 'application/json': { schema: status === 200 ? orBatch(ANSWER) : REFUSAL, examples } },
  });
}
