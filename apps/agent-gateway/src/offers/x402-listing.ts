import { PAID_ENDPOINTS, SERVICE, type Offer, type PaidEndpoint } from '@evenkeel/contracts';
import type { PaymentTerms } from '../config/payment-terms';
import { acceptsEntryV2, mcpUrl, resourceOf, resourceUrl } from './accepts';
import { toolBazaar } from './bazaar';

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
      ...PAID_ENDPOINTS.map((endpoint) => httpItem(endpoint, terms)),
      ...PAID_ENDPOINTS.map((endpoint) => toolItem(endpoint, terms)),
    ],
    offer_digest: offerDigest,
    offers,
  };
}

function httpItem(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  return {
    resource: resourceOf(endpoint, terms),
    type: 'http',
    accepts: [acceptsEntryV2(endpoint, terms)],
    input: { method: endpoint.method, bodyType: 'json', body: endpoint.exampleInput },
    ...outputOf(endpoint),
  };
}

function toolItem(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  return {
    resource: { ...resourceOf(endpoint, terms), url: mcpUrl(terms) },
    type: 'mcp',
    accepts: [acceptsEntryV2(endpoint, terms)],
    input: (toolBazaar(endpoint).info as { input: object }).input,
    ...outputOf(endpoint),
  };
}

/** `requires`: nothing but the payment, neither account nor key. */
function outputOf({ exampleResult: example }: PaidEndpoint): object {
  return { output: { mimeType: 'application/json', example }, requires: [] };
}
