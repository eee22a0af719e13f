import {
  AgentErrorBody,
  componentOf,
  PAID_ENDPOINTS,
  type JsonSchema,
  type OpenApiExample,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type OpenApiResponse,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { explain, ValidationFailed } from '@evenkeel/platform/validation';
import { MCP_PATH } from '../offers/accepts';
import { goldenVectors } from '../offers/golden-vectors';
import { errorExample, headers, json, LIMIT_HEADERS, shared } from './answers';

export const PAID_TAG = 'Paid analysis';

interface Vector {
  input: unknown;
  output: unknown;
}

const HOW_TO_PAY =
  'Without a payment the answer is 402 with the offer and a free verdict on the body. Sign the offer (x402, scheme exact) and ' +
  'repeat the identical request with the payment in X-PAYMENT or PAYMENT-SIGNATURE, version 1 or 2. GET and HEAD on this ' +
  'address answer 402 with the same offer, always, and take no payment.';

/** The five paid operations, in the order of the specification. */
export function paidPaths(): Record<string, OpenApiPath> {
  const { functions } = goldenVectors();
  const exampleOf = ({ path }: PaidEndpoint) =>
    functions.find(({ endpoint }) => endpoint === path)!.vectors.find(({ name }) => name === 'published example')!;
  return Object.fromEntries(
    PAID_ENDPOINTS.map((endpoint) => [endpoint.path, { post: paidOperation(endpoint, exampleOf(endpoint)) }]),
  );
}

/** Dollars as listings print them: `0.05`. */
export function decimalPrice({ priceMicros }: PaidEndpoint): string {
  return usdAmount(priceMicros).usd_exact.replace(/0{1,4}$/, '');
}

/** @param example a golden vector: what the engine answers, to the byte */
function paidOperation(endpoint: PaidEndpoint, { input, output }: Vector): OpenApiOperation {
  return {
    operationId: endpoint.toolName.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: `${endpoint.title} (${decimalPrice(endpoint)} USD)`,
    description: `${endpoint.description} ${HOW_TO_PAY}`,
    tags: [PAID_TAG],
    security: [],
    'x-payment-info': {
      protocols: [{ x402: {} }],
      price: { mode: 'fixed', currency: 'USD', amount: decimalPrice(endpoint) },
    },
    parameters: HEADER_PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: bodySchema(endpoint), examples: { published: { value: input } } } },
    },
    responses: {
      200: {
        description: 'The result; paid, or served for a credit',
        headers: headers({
          'Content-Digest': 'ContentDigest',
          'X-Engine-Version': 'EngineVersion',
          'PAYMENT-RESPONSE': 'PaymentResponse',
          'X-PAYMENT-RESPONSE': 'PaymentResponse',
          'X-Evenkeel-Receipt': 'Receipt',
          'X-Agent-Credit-Status': 'CreditStatus',
          'Idempotent-Replayed': 'Replayed',
          ...LIMIT_HEADERS,
        }),
        ...json(endpoint.result, { published: { value: output } }),
      },
      400: {
        description: 'The body does not fit its schema; nothing was charged',
        headers: headers(LIMIT_HEADERS),
        ...json(AgentErrorBody, { invalid: invalidExample(endpoint) }),
      },
      402: shared('PaymentRequired'),
      413: shared('AgentPayloadTooLarge'),
      415: shared('AgentUnsupportedMediaType'),
      429: shared('AgentRateLimited'),
      500: shared('AgentInternalError'),
      502: shared('PaymentUnclear'),
    },
  };
}

function bodySchema({ requestForms }: PaidEndpoint): JsonSchema {
  const forms = requestForms.map(componentOf);
  return forms.length === 1 ? forms[0]! : { oneOf: forms };
}

function invalidExample(endpoint: PaidEndpoint) {
  const [list] = Object.keys(endpoint.exampleInput);
  const body = { ...endpoint.exampleInput, [list!]: [] };
  return errorExample(endpoint.path, new ValidationFailed(explain(endpoint.requestForms, body)), { body });
}

function header(name: string, description: string, maxLength?: number): OpenApiParameter {
  const schema = { type: 'string', ...(maxLength !== undefined && { maxLength }) };
  return { name, in: 'header', required: false, description, schema };
}

const HEADER_PARAMETERS = [
  header('X-PAYMENT', 'x402 payment: base64 of JSON, version 1 or 2'),
  header('PAYMENT-SIGNATURE', 'The same; X-PAYMENT wins when both are there'),
  header('X-Agent-Credit', 'A call credit in place of a payment'),
  header('Idempotency-Key', 'Lets a repeat have the credit token of the first answer too', 255),
];

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
