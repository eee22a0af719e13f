import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import type { Surface } from '../calls/call';
import { PaymentTerms } from '../config/payment-terms';
import { listingOf } from './listing';
import { makeRequirements } from './make-requirements';
import type { PaymentRequirements, X402Version } from './payment-requirements';

/** The requirements of every offer in both versions, made once at start: one for each place where it may be listed. */
@Injectable()
export class OfferRequirements {
  private readonly offers: Readonly<Record<Surface, RequirementsByVersion>>;

  constructor(terms: PaymentTerms) {
    this.offers = { http: requirementsByEndpoint('http', terms), mcp: requirementsByEndpoint('mcp', terms) };
  }

  of(endpoint: PaidEndpoint, version: X402Version, surface: Surface): PaymentRequirements {
    return this.offers[surface].get(endpoint)![version];
  }
}

type RequirementsByVersion = ReadonlyMap<PaidEndpoint, Record<X402Version, PaymentRequirements>>;

function requirementsByEndpoint(surface: Surface, terms: PaymentTerms): RequirementsByVersion {
  const entries = PAID_ENDPOINTS.map((endpoint) => {
    const listing = listingOf(surface, endpoint, terms);
    const requirements = (version: X402Version) => makeRequirements(version, endpoint, terms, listing);
    return [endpoint, { 1: requirements(1), 2: requirements(2) }] as const;
  });
  return new Map(entries);
}
