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
import type { ManifestSettings } from '../offers/capability-manifest';
import { ANSWER_HEADERS } from './answer-headers';
import { DOCUMENTS_TAG, documentPaths } from './document-operations';
import { FREE_TAG, freePaths } from './free-operations';
import { PAID_TAG, paidPaths } from './paid-operations';
import { serviceInfo } from './service-info';
import { sharedResponses } from './shared-responses';
import { TOOLS_TAG, toolPaths } from './tool-operations';

export interface PartSettings extends ManifestSettings {
  /** The price list without a wallet. */
  prices: object;
}

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
 */
export function gatewayPart(settings: PartSettings): OpenApiDocument {
  const { terms, offerDigest, prices } = settings;
  return {
    openapi: '3.1.0',
    info: serviceInfo(terms.baseUrl, undefined),
    servers: [{ url: terms.baseUrl }],
    tags: [
      { name: PAID_TAG, description: 'Pay per call over x402: no account, no key.' },
      { name: FREE_TAG, description: 'Free: prices, what became of a payment, proof of the engine.' },
      { name: TOOLS_TAG, description: 'The same offers as tools of MCP.' },
      { name: DOCUMENTS_TAG, description: 'Free: what machines read first.' },
    ],
    paths: { ...paidPaths(), ...freePaths(prices), ...toolPaths(), ...documentPaths(settings) },
    components: {
      schemas: {
        ...componentSchemas(
          PAID_ENDPOINTS.flatMap(({ requestForms }) => requestForms),
          { closed: true },
        ),
        ...componentSchemas(ANSWERS, { closed: false }),
      },
      headers: ANSWER_HEADERS,
      responses: sharedResponses(terms, offerDigest),
    },
  };
}
