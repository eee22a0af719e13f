import { createHash } from 'node:crypto';
import { offersOf, type Offer, type PaidEndpoint } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../calls/payment';
import { PaymentTerms } from '../config/payment-terms';

/** The offers of this gateway, on its terms. The same until the next start. */
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

/** SHA-256 in hex of the canonical JSON of all offers: one short text that changes whenever price, receiver or shape of anything does (D-140). */
export function offerDigest(offers: readonly Offer[]): string {
  return createHash('sha256').update(canonicalJson(offers)).digest('hex');
}

/** Dollars as listings print them: `0.05`. */
export function decimalPrice({ priceMicros }: PaidEndpoint): string {
  return usdAmount(priceMicros).usd_exact.replace(/0{1,4}$/, '');
}
