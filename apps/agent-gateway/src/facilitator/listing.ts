import type { PaidEndpoint } from '@evenkeel/contracts';
import type { Surface } from '../calls/call';
import { resourceOf, mcpUrl } from '../offers/accepts';
import { compactBazaar, type CompactBazaar, toolBazaar } from '../offers/bazaar';
import type { PaymentTerms } from '../config/payment-terms';

/** Under what a facilitator lists an offer once a payment for it has settled: a path, or a tool of the MCP endpoint. */
export interface Listing {
  resource: object;
  bazaar: CompactBazaar;
  /** In version 1 requirements; what is said of a path there means nothing for a tool. */
  versionOne: { resource?: string; outputSchema?: undefined };
}

export function listingOf(surface: Surface, endpoint: PaidEndpoint, terms: PaymentTerms): Listing {
  const resource = resourceOf(endpoint, terms);
  if (surface === 'http') return { resource, bazaar: compactBazaar(endpoint), versionOne: {} };
  const url = mcpUrl(terms);
  const versionOne = { resource: url, outputSchema: undefined };
  return { resource: { ...resource, url }, bazaar: toolBazaar(endpoint), versionOne };
}
