import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import type { Surface } from '../calls/call';
import { PaymentTerms } from '../config/payment-terms';
import { listingOf } from './listing';
import { wordPayment } from './word-payment';
import type { Wording, WordingVersion } from './wording';

/** The wording of every offer in both versions, made once at start: one for each place where it may be listed. */
@Injectable()
export class OfferWordings {
  private readonly offers: Readonly<Record<Surface, OfferedWordings>>;

  constructor(terms: PaymentTerms) {
    this.offers = { http: wordingsOf('http', terms), mcp: wordingsOf('mcp', terms) };
  }

  of(endpoint: PaidEndpoint, version: WordingVersion, surface: Surface): Wording {
    return this.offers[surface].get(endpoint)![version];
  }
}

type OfferedWordings = ReadonlyMap<PaidEndpoint, Record<WordingVersion, Wording>>;

function wordingsOf(surface: Surface, terms: PaymentTerms): OfferedWordings {
  const entries = PAID_ENDPOINTS.map((endpoint) => {
    const listing = listingOf(surface, endpoint, terms);
    const wording = (version: WordingVersion) => wordPayment(version, endpoint, terms, listing);
    return [endpoint, { 1: wording(1), 2: wording(2) }] as const;
  });
  return new Map(entries);
}
