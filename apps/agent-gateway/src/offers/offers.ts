import { offersOf, type Offer } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { PaymentTerms } from '../config/payment-terms';
import { offerDigest } from './offer-digest';

/** What this gateway sells, on its terms. The same until the next start. */
@Injectable()
export class Offers {
  readonly all: readonly Offer[];
  /** The same in every document and in every 402. */
  readonly digest: string;

  constructor({ chain, asset, payTo }: PaymentTerms) {
    // Through JSON: a member that is not set is no part of what is published.
    this.all = JSON.parse(JSON.stringify(offersOf({ network: chain.caip2, asset, payTo }))) as Offer[];
    this.digest = offerDigest(this.all);
  }
}
