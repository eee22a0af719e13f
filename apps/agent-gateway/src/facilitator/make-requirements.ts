import type { PaidEndpoint } from '@evenkeel/contracts';
import { acceptsEntryV2, requirementsV1 } from '../offers/accepts';
import type { PaymentTerms } from '../config/payment-terms';
import type { Listing } from './listing';
import type { PaymentRequirements, X402Version } from './payment-requirements';

/** Our requirements, never the buyer's copy, in one of the two versions of the protocol; the discovery metadata rides along. */
export function makeRequirements(
  version: X402Version,
  endpoint: PaidEndpoint,
  terms: PaymentTerms,
  listing: Listing,
): PaymentRequirements {
  return version === 2 ? versionTwo(endpoint, terms, listing) : versionOne(endpoint, terms, listing);
}

function versionOne(endpoint: PaidEndpoint, terms: PaymentTerms, listing: Listing): PaymentRequirements {
  const requirements = { ...requirementsV1(endpoint, terms), ...listing.versionOne };
  const payload = { x402Version: 1, scheme: 'exact', network: terms.chain.shortName };
  return {
    version: 1,
    head: `{"x402Version":1,"paymentPayload":${open(payload)},"payload":`,
    tail: `},"paymentRequirements":${JSON.stringify(requirements)}}`,
  };
}

function versionTwo(endpoint: PaidEndpoint, terms: PaymentTerms, { resource, bazaar }: Listing): PaymentRequirements {
  const accepted = acceptsEntryV2(endpoint, terms);
  const payload = { x402Version: 2, resource, accepted };
  return {
    version: 2,
    head: `{"x402Version":2,"paymentPayload":${open(payload)},"payload":`,
    tail: `,"extensions":${JSON.stringify({ bazaar })}},"paymentRequirements":${JSON.stringify(accepted)}}`,
  };
}

/** JSON of an object without its closing brace. */
function open(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}
