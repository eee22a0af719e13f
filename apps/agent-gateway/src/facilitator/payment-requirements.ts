import { createHash } from 'node:crypto';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import type { Surface } from '../calls/call';
import { PaymentTerms } from '../config/payment-terms';
import { acceptsEntryV2, mcpUrl, requirementsV1, resourceOf } from '../offers/accepts';
import { type Bazaar, compactBazaar, toolBazaar } from '../offers/bazaar';

/** Version of the protocol in which the facilitator is spoken to. */
export type X402Version = 1 | 2;

/**
 * How a payment for one endpoint is put to the facilitator: everything but the signed authorization, which goes
 * between `head` and `tail`. Stored once in the ledger, so that every repeat sends the same bytes.
 */
export interface PaymentRequirements {
  version: X402Version;
  head: string;
  tail: string;
}

/** SHA-256, hex: the ledger finds requirements by it and refuses to send altered ones. */
export function requirementsDigest({ version, head, tail }: PaymentRequirements): string {
  return createHash('sha256')
    .update(JSON.stringify([version, head, tail]))
    .digest('hex');
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

/** Our requirements, never the buyer's copy: of every offer in both versions, made once at start, for each place that lists it. */
@Injectable()
export class OfferRequirements {
  private readonly offers: Readonly<
    Record<Surface, ReadonlyMap<PaidEndpoint, Record<X402Version, PaymentRequirements>>>
  >;

  constructor(terms: PaymentTerms) {
    const of = (surface: Surface) =>
      new Map(
        PAID_ENDPOINTS.map((endpoint) => {
          const listing = listingOf(surface, endpoint, terms);
          return [endpoint, { 1: versionOne(endpoint, terms, listing), 2: versionTwo(endpoint, terms, listing) }];
        }),
      );
    this.offers = { http: of('http'), mcp: of('mcp') };
  }

  of(endpoint: PaidEndpoint, version: X402Version, surface: Surface): PaymentRequirements {
    return this.offers[surface].get(endpoint)![version];
  }
}

/** How a facilitator lists an offer once a payment for it has settled: as a path, or as a tool of the MCP endpoint. */
interface Listing {
  resource: object;
  bazaar: Bazaar;
  /** In version 1 requirements; what is said of a path there means nothing for a tool. */
  versionOne: { resource?: string; outputSchema?: undefined };
}

function listingOf(surface: Surface, endpoint: PaidEndpoint, terms: PaymentTerms): Listing {
  const resource = resourceOf(endpoint, terms);
  if (surface === 'http') return { resource, bazaar: compactBazaar(endpoint), versionOne: {} };
  const url = mcpUrl(terms);
  const versionOne = { resource: url, outputSchema: undefined };
  return { resource: { ...resource, url }, bazaar: toolBazaar(endpoint), versionOne };
}
