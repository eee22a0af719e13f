import {
  AgentErrorBody,
  CapabilityManifest,
  CHAINS,
  CREDIT_FACE_MICROS,
  ErrorBody,
  HealthStatus,
  PAID_ENDPOINTS,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  SERVICE,
  ServiceDescriptor,
  type OpenApiDocument,
} from '@evenkeel/contracts';
import { contractSchemas } from '@evenkeel/platform/openapi';
import type { PaymentTerms } from '../config/payment-terms';
import type { ManifestSettings } from '../offers/capability-manifest';
import { Offers } from '../offers/offers';
import { priceList } from '../pricing/price-list';
import { ANSWER_HEADERS, sharedResponses } from './answers';
import { documentPaths, DOCUMENTS_TAG } from './document-operations';
import { FREE_TAG, freePaths } from './free-operations';
import { PAID_TAG, paidPaths, toolPaths, TOOLS_TAG } from './paid-operations';

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
      schemas: contractSchemas({
        bodies: PAID_ENDPOINTS.flatMap(({ requestForms }) => requestForms),
        answers: ANSWERS,
      }),
      headers: ANSWER_HEADERS,
      responses: sharedResponses(terms, offerDigest),
    },
  };
}

type OpenApiInfo = OpenApiDocument['info'];

/** Name, version and contact, as every OpenAPI document of ours begins. */
export function serviceInfo(baseUrl: string, email: string | undefined): OpenApiInfo {
  return {
    title: SERVICE.name,
    version: SERVICE.version,
    description: SERVICE.description,
    contact: { name: SERVICE.name, url: baseUrl, ...(email !== undefined && { email }) },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
}

const [base] = CHAINS;
const SAMPLE_TERMS: PaymentTerms = {
  baseUrl: 'https://api.example',
  chain: base!,
  asset: base!.usdc.address,
  assetName: base!.usdc.name,
  assetVersion: base!.usdc.version,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
  bodyNetwork: 'short',
};

/** The part as it is checked in, with sample terms; what is served has those of the service. */
export function samplePart(): OpenApiDocument {
  const timeoutMs = 5_000;
  const { digest: offerDigest } = new Offers(SAMPLE_TERMS);
  const prices = priceList({
    terms: SAMPLE_TERMS,
    offerDigest,
    creditFaceMicros: CREDIT_FACE_MICROS,
    timeoutMs,
    walletRate: { limit: 600, windowSeconds: 60 },
  });
  return gatewayPart({ terms: SAMPLE_TERMS, offerDigest, timeoutMs, prices });
}
