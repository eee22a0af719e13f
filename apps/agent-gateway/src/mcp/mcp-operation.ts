import type { JsonSchema, OpenApiExample } from '@evenkeel/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Answer, SharedAnswers, TAGS } from '../documentation/answers';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
/** Not a list of types: some generators of clients take one type alone. */
const ID: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
const ID_OR_NULL: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] };
const VERSION: JsonSchema = { type: 'string', enum: ['2.0'] };

const REQUEST: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: { jsonrpc: VERSION, id: ID, method: { type: 'string' }, params: { type: 'object' } },
};

const ANSWER: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: { jsonrpc: VERSION, id: ID_OR_NULL, result: { type: 'object' }, error: { type: 'object' } },
};

/** The same offers for models that call tools. */
export function McpOperation(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'sendMcpMessage',
      summary: 'MCP over streamable HTTP: every endpoint as a tool',
      description:
        'One JSON-RPC message per request, no session. tools/list is free; a paid tool answers its price as a result and takes the ' +
        'payment in params._meta["x402/payment"]. Prices, ledger and answers are those of the paid endpoints.',
      tags: [TAGS.tools],
      security: [],
    }),
    ApiBody({ schema: REQUEST as object, examples: { ping: { value: PING } } }),
    answer(200, 'The answer to a request', { ping: { value: { jsonrpc: '2.0', id: 1, result: {} } } }),
    Answer({ status: 202, description: 'A notification was taken' }),
    answer(400, 'No message of JSON-RPC', {
      list: {
        value: {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32_600, message: 'Send one message with each request.' },
        },
        'x-request': { body: [PING, PING] },
      },
    }),
    answer(403, 'The name of a Host or Origin is not ours', {
      origin: {
        value: { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Invalid Origin: evil.example' } },
        'x-request': { body: PING, headers: { origin: 'https://evil.example' } },
      },
    }),
    SharedAnswers({ 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType', 429: 'RateLimited' }),
  );
}

function answer(status: number, description: string, examples: Record<string, OpenApiExample>): MethodDecorator {
  return Answer({ status, description, content: { 'application/json': { schema: ANSWER, examples } } });
}
