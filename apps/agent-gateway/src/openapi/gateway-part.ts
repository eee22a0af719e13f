import {
  AgentErrorBody,
  CapabilityManifest,
  componentSchemas,
  ErrorBody,
  HealthStatus,
  PAID_ENDPOINTS,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  ServiceDescriptor,
  type OpenApiDocument,
} from '@evenkeel/contracts';
import type { PaymentTerms } from '../challenges/payment-terms';
import { ANSWER_HEADERS } from './answer-headers';
import { FREE_TAG, freePaths } from './free-operations';
import { PAID_TAG, paidPaths } from './paid-operations';
import { serviceInfo } from './service-info';
import { sharedResponses } from './shared-responses';

const ANSWERS = [
  AgentErrorBody,
  CapabilityManifest,
  ErrorBody,
  HealthStatus,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  ServiceDescriptor,
  ...PAID_ENDPOINTS.map(({ result }) => result),
];

/**
 * What the gateway says of its own routes. Paid ones come first: listing sites and agents that read only the beginning must
 * find them.
 * @param prices the price list without a wallet
 */
export function gatewayPart(terms: PaymentTerms, prices: object): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: serviceInfo(terms.baseUrl, undefined),
    servers: [{ url: terms.baseUrl }],
    tags: [
      { name: PAID_TAG, description: 'Pay per call over x402: no account, no key.' },
      { name: FREE_TAG, description: 'Free: prices, what became of a payment, proof of the engine.' },
    ],
    paths: { ...paidPaths(), ...freePaths(prices) },
    components: {
      schemas: {
        ...componentSchemas(
          PAID_ENDPOINTS.flatMap(({ requestForms }) => requestForms),
          { closed: true },
        ),
        ...componentSchemas(ANSWERS, { closed: false }),
      },
      headers: ANSWER_HEADERS,
      responses: sharedResponses(terms),
    },
  };
}
