import {
  AgentErrorBody,
  PAID_ENDPOINTS,
  PaymentStatus,
  PriceList,
  type OpenApiOperation,
  type OpenApiPath,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { goldenVectors } from '../offers/golden-vectors';
import { errorExample, headers, json, LIMIT_HEADERS, shared } from './answers';

export const FREE_TAG = 'Before and after paying';

const CACHED = { ETag: 'ETag', ...LIMIT_HEADERS } as const;
const address = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const PAYER = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const NONCE = `0x${'ab'.repeat(32)}`;

/** What a buyer may ask for free: prices, the fate of a payment, proof of the engine. */
export function freePaths(prices: object): Record<string, OpenApiPath> {
  return {
    '/agent/v1/pricing': { get: listPrices(prices) },
    '/agent/v1/payments/{nonce}': { get: PAYMENT_STATUS },
    '/agent/v1/vectors': { get: vectors() },
  };
}

function listPrices(prices: object): OpenApiOperation {
  return {
    operationId: 'listPrices',
    summary: 'Prices, rebate, and where a wallet stands',
    description:
      'Free. With a hint which wallet calls (header, query, or the payer of a payment header, which is neither verified nor ' +
      'charged) also its tier, rebate and credits.',
    tags: [FREE_TAG],
    security: [],
    parameters: [
      {
        name: 'X-Wallet-Address',
        in: 'header',
        required: false,
        description: 'The wallet that calls',
        schema: address,
      },
      { name: 'wallet', in: 'query', required: false, description: 'The same as a query', schema: address },
    ],
    responses: {
      200: {
        description: 'The price list',
        headers: headers(CACHED),
        ...json(PriceList, { withoutWallet: { value: { ...prices, wallet: null } } }),
      },
      304: shared('NotModified'),
      400: badRequest('/agent/v1/pricing?wallet=me', '/wallet', 'must be an EVM address: 0x and 40 hex digits'),
      429: shared('AgentRateLimited'),
      503: shared('AgentServiceUnavailable'),
    },
  };
}

const PAYMENT_STATUS: OpenApiOperation = {
  operationId: 'getPaymentStatus',
  summary: 'Was I charged?',
  description: 'Free, for whoever knows the nonce of an authorization that reached settlement.',
  tags: [FREE_TAG],
  security: [],
  parameters: [
    {
      name: 'nonce',
      in: 'path',
      required: true,
      description: 'Nonce of the signed authorization',
      schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
    },
    {
      name: 'payer',
      in: 'query',
      required: false,
      description: 'Only needed when several payers have used the nonce',
      schema: address,
    },
  ],
  responses: {
    200: {
      description: 'What became of the payment',
      headers: headers(LIMIT_HEADERS),
      ...json(PaymentStatus, {
        settled: {
          value: {
            nonce: NONCE,
            payer: PAYER,
            endpoint: PAID_ENDPOINTS[0]!.path,
            amount: { usd: 0.05, usd_exact: '0.050000' },
            amount_atomic: '50000',
            state: 'settled',
            charged: true,
            transaction: `0x${'cd'.repeat(32)}`,
            answer_available_until: '2026-01-31T13:00:00.000Z',
            retry: 'retry_same',
          },
        },
      }),
    },
    400: badRequest('/agent/v1/payments/0x1', '/nonce', 'must be 0x and 64 hex digits'),
    404: shared('AgentNotFound'),
    429: shared('AgentRateLimited'),
    503: shared('AgentServiceUnavailable'),
  },
};

function vectors(): OpenApiOperation {
  const { functions, ...rest } = goldenVectors();
  const [first] = functions;
  const excerpt = { ...rest, functions: [{ ...first!, vectors: first!.vectors.slice(0, 1) }] };
  const string = { type: 'string' };
  return {
    operationId: 'listVectors',
    summary: 'Golden vectors of the scoring engine',
    description:
      'Free. Inputs and exact outputs of the engine version that answers: whoever doubts a result computes it again.',
    tags: [FREE_TAG],
    security: [],
    responses: {
      200: {
        description: 'Inputs and outputs, by function',
        headers: headers(CACHED),
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['engine_version', 'comparison', 'functions'],
              properties: {
                engine_version: string,
                comparison: { type: 'string', description: 'How to compare' },
                functions: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['function', 'endpoint', 'vectors'],
                    properties: {
                      function: string,
                      endpoint: {
                        type: ['string', 'null'],
                        description: 'The path that sells its answers, if one does',
                      },
                      vectors: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['name', 'input', 'output'],
                          properties: { name: string, input: { type: 'object' }, output: { type: 'object' } },
                        },
                      },
                    },
                  },
                },
              },
            },
            examples: { excerpt: { summary: 'The first of many', value: excerpt } },
          },
        },
      },
      304: shared('NotModified'),
      429: shared('AgentRateLimited'),
    },
  };
}

function badRequest(path: string, at: string, message: string): OpenApiResponse {
  const failed = new ValidationFailed([{ path: at, code: 'bad_format', message }]);
  return {
    description: 'The question is not well formed',
    headers: headers(LIMIT_HEADERS),
    ...json(AgentErrorBody, { malformed: errorExample(path, failed, { path }) }),
  };
}
