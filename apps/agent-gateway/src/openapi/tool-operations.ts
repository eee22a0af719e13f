import type { JsonSchema, OpenApiExample, OpenApiOperation, OpenApiPath, OpenApiResponse } from '@evenkeel/contracts';
import { MCP_PATH } from '../offers/mcp-url';
import { headers, LIMIT_HEADERS } from './answer-headers';
import { shared } from './shared-responses';

export const TOOLS_TAG = 'Tools';

/** The same offers for models that call tools. */
export function toolPaths(): Record<string, OpenApiPath> {
  return { [MCP_PATH]: { post: CALL_TOOL } };
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ID: JsonSchema = { type: ['string', 'integer', 'null'] };
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

const CALL_TOOL: OpenApiOperation = {
  operationId: 'sendMcpMessage',
  summary: 'MCP over streamable HTTP: every endpoint as a tool',
  description:
    'One JSON-RPC message per request, no session. tools/list is free; a paid tool answers its price as a result and takes the ' +
    'payment in params._meta["x402/payment"]. Prices, ledger and answers are those of the paid endpoints.',
  tags: [TOOLS_TAG],
  security: [],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: REQUEST, examples: { ping: { value: PING } } } },
  },
  responses: {
    200: answer('The answer to a request', { ping: { value: { jsonrpc: '2.0', id: 1, result: {} } } }),
    202: { description: 'A notification was taken', headers: headers(LIMIT_HEADERS) },
    400: answer('No message of JSON-RPC', {
      list: {
        value: {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32_600, message: 'Send one message with each request.' },
        },
        'x-request': { body: [PING, PING] },
      },
    }),
    403: answer('The name of a Host or Origin is not ours', {
      origin: {
        value: { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Invalid Origin: evil.example' } },
        'x-request': { body: PING, headers: { origin: 'https://evil.example' } },
      },
    }),
    413: shared('PayloadTooLarge'),
    415: shared('UnsupportedMediaType'),
    429: shared('RateLimited'),
  },
};

function answer(description: string, examples: Record<string, OpenApiExample>): OpenApiResponse {
  return {
    description,
    headers: headers(LIMIT_HEADERS),
    content: { 'application/json': { schema: ANSWER, examples } },
  };
}
