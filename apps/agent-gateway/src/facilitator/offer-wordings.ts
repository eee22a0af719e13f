import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { compactBazaar } from '../challenges/bazaar';
import { PaymentTerms } from '../challenges/payment-terms';
import { wordPayment } from './word-payment';
import type { Wording, WordingVersion } from './wording';

/** The wording of every offer in both versions, made once at start. */
@Injectable()
export class OfferWordings {
  private readonly offers = new Map<PaidEndpoint, Record<WordingVersion, Wording>>();

  constructor(terms: PaymentTerms) {
    for (const endpoint of PAID_ENDPOINTS) {
      const bazaar = compactBazaar(endpoint);
      this.offers.set(endpoint, {
        1: wordPayment(1, endpoint, terms, bazaar),
        2: wordPayment(2, endpoint, terms, bazaar),
      });
    }
  }

  of(endpoint: PaidEndpoint, version: WordingVersion): Wording {
    return this.offers.get(endpoint)![version];
  }
}
