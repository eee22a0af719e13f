import {
  capabilityRequestSchema,
  KNOWN_CAPABILITIES,
  PAID_ENDPOINTS,
  PROVIDED_CAPABILITIES,
  providerOf,
  resultSchema,
  SERVICE,
  type Capability,
  type CapabilityManifest,
  type Offer,
  type PaidEndpoint,
  type ServiceDescriptor,
} from '@evenkeel/contracts';
import { MICROS_PER_USD } from '@evenkeel/kernel';
import type { PaymentTerms } from '../config/payment-terms';
import { acceptsEntryV2, mcpUrl, resourceOf, resourceUrl } from './accepts';
import { toolBazaar } from './bazaar';

export interface ManifestSettings {
  terms: PaymentTerms;
  offerDigest: string;
  timeoutMs: number;
}

/** `/v1/capabilities`: what this service can do, in the terms that other services use too. */
export function capabilityManifest(settings: ManifestSettings): CapabilityManifest {
  const { baseUrl, chain, asset, payTo } = settings.terms;
  const pricing = `${baseUrl}/agent/v1/pricing`;
  return {
    platform: { name: SERVICE.name, version: SERVICE.version, description: SERVICE.description },
    payment: { protocol: 'x402', scheme: 'exact', network: chain.caip2, asset, pay_to: payTo, pricing },
    capabilities: PROVIDED_CAPABILITIES.map((name) => capability(name, settings)),
    vocabulary: { provided: [...PROVIDED_CAPABILITIES], known: [...KNOWN_CAPABILITIES] },
    discovery: {
      openapi: `${baseUrl}/openapi.json`,
      llms_txt: `${baseUrl}/llms.txt`,
      pricing,
      offer_digest: settings.offerDigest,
    },
  };
}

function capability(name: (typeof PROVIDED_CAPABILITIES)[number], { terms, timeoutMs }: ManifestSettings): Capability {
  const endpoint = providerOf(name);
  return {
    capability: name,
    providers: [
      {
        capability: name,
        version: '1',
        provider: { id: SERVICE.id, name: SERVICE.name, kind: 'first_party' },
        endpoint: resourceUrl(endpoint, terms),
        method: endpoint.method,
        price: {
          amount_usd: endpoint.priceMicros / MICROS_PER_USD,
          currency: 'USD',
          network: terms.chain.caip2,
          asset: terms.asset,
          pay_to: terms.payTo,
        },
        description: endpoint.description,
        input_schema: capabilityRequestSchema(endpoint),
        output_schema: resultSchema(endpoint),
        limits: { timeout_ms: timeoutMs, max_items: endpoint.maxItems },
      },
    ],
  };
}

/** `GET /`: what is for sale here, and where to read on. */
export function describeService({ chain }: PaymentTerms): ServiceDescriptor {
  return {
    service: SERVICE.id,
    version: SERVICE.version,
    description: SERVICE.description,
    paid_endpoints: PAID_ENDPOINTS.map(({ method, path, priceMicros, capabilities }) => ({
      method,
      path,
      price_usd: priceMicros / MICROS_PER_USD,
      capability: capabilities[0]!,
    })),
    payment: { protocol: 'x402', x402_version: 1, network: chain.caip2 },
    links: {
      pricing: '/agent/v1/pricing',
      capabilities: '/v1/capabilities',
      openapi: '/openapi.json',
      llms: '/llms.txt',
      health: '/health',
      dashboard: '/dashboard',
    },
  };
}

/** `/.well-known/x402`, for readers of the early days: addresses and no more. */
export function x402Index(terms: PaymentTerms): object {
  return { version: 1, resources: PAID_ENDPOINTS.map((endpoint) => resourceUrl(endpoint, terms)) };
}

/**
 * `/.well-known/x402.json`, the draft of the x402 authors: every endpoint over HTTP and as a tool.
 * @param offers also in full, so that a reader can compute the digest again
 */
export function x402Listing(terms: PaymentTerms, offers: readonly Offer[], offerDigest: string): object {
  return {
    x402Version: 2,
    lastUpdated: SERVICE.offersUpdatedAt,
    items: [
      ...PAID_ENDPOINTS.map((endpoint) => {
        const { method, exampleInput: body } = endpoint;
        return itemOf(endpoint, terms, { type: 'http', input: { method, bodyType: 'json', body } });
      }),
      ...PAID_ENDPOINTS.map((endpoint) => {
        const { input } = toolBazaar(endpoint).info as { input: object };
        return itemOf(endpoint, terms, { type: 'mcp', input, url: mcpUrl(terms) });
      }),
    ],
    offer_digest: offerDigest,
    offers,
  };
}

/** `requires`: nothing but the payment, neither account nor key. */
function itemOf(
  endpoint: PaidEndpoint,
  terms: PaymentTerms,
  { type, input, url = resourceUrl(endpoint, terms) }: { type: string; input: object; url?: string },
): object {
  const resource = { ...resourceOf(endpoint, terms), url };
  const output = { mimeType: 'application/json', example: endpoint.exampleResult };
  return { resource, type, accepts: [acceptsEntryV2(endpoint, terms)], input, output, requires: [] };
}
