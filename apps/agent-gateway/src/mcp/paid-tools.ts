import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { AnswerCall } from '../payments/answer-call';
import { RequestBodies } from '../payments/request-bodies';
import { PaymentTerms } from '../config/payment-terms';
import { AddressLimits } from '../limits/address-limits';
import { Offers } from '../offers/offers';
import { PaidTool } from './paid-tool';
import type { Tool } from './tool';
import { ToolOffers } from './tool-offers';

/** One tool for each line of the price list, in its order. */
@Injectable()
export class PaidTools {
  readonly all: readonly Tool[];

  constructor(
    terms: PaymentTerms,
    { digest: offerDigest }: Offers,
    offers: ToolOffers,
    bodies: RequestBodies,
    addresses: AddressLimits,
    answerCall: AnswerCall,
  ) {
    const parts = { terms, offerDigest, offers, bodies, addresses, answerCall };
    this.all = PAID_ENDPOINTS.map((endpoint) => new PaidTool(endpoint, parts));
  }
}
