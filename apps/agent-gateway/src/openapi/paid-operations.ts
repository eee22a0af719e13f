import {
  AgentErrorBody,
  componentOf,
  PAID_ENDPOINTS,
  type JsonSchema,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { explain, ValidationFailed } from '@evenkeel/platform/validation';
import { goldenVectors } from '../offers/golden-vectors';
import { headers, LIMIT_HEADERS } from './answer-headers';
import { errorExample } from './error-example';
import { json, shared } from './shared-responses';

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
