import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { requirementsV1, mcpUrl } from '../offers/accepts';
import { challengeHeader, type ChallengeReason, type Preflight } from '../offers/challenges';
import { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { toolBazaar } from '../offers/bazaar';
import { objectResult } from './tool';

/**
 * The price of a tool as every client looks for it: a tool result marked as an error, the version 2 object in
 * `structuredContent` and as the first text, and once more in `_meta`, there with a version 1 entry beside it (docs/adr/0013).
 */
@Injectable()
export class ToolOffers {
  private readonly offers: ReadonlyMap<PaidEndpoint, Offer>;

  constructor(terms: PaymentTerms, { digest }: Offers) {
    this.offers = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint, offerOf(endpoint, terms, digest)]));
  }

  /** For a call without payment and credit; the verdict on the arguments is free. */
  unpaid(endpoint: PaidEndpoint, preflight: Preflight): CallToolResult {
    const message = `${endpoint.toolName} costs ${priceOf(endpoint)} a call and was not paid. Nothing was charged.`;
    const details = { charged: false, retry: 'pay_again' };
    return this.result(endpoint, { error: 'payment_required', message, details }, preflight);
  }

  /** For a call whose payment or credit was refused: a fresh offer with the reason. */
  refused(endpoint: PaidEndpoint, reason: ChallengeReason): CallToolResult {
    return this.result(endpoint, reason);
  }

  private result(
    endpoint: PaidEndpoint,
    { error, message, details }: ChallengeReason,
    preflight?: Preflight,
  ): CallToolResult {
    const { version2, version1Entry, instructions } = this.offers.get(endpoint)!;
    const extensions = { ...version2.extensions, ...(preflight && { preflight }) };
    const offer = { ...version2, error, message, details, extensions };
    const { structuredContent, content } = objectResult(offer);
    return {
      isError: true,
      structuredContent,
      content: [...content, { type: 'text', text: `${message} ${instructions}` }],
      _meta: { 'x402/error': { ...offer, accepts: [...version2.accepts, version1Entry] } },
    };
  }
}

type Offer = ReturnType<typeof offerOf>;

function offerOf(endpoint: PaidEndpoint, terms: PaymentTerms, offerDigest: string) {
  const { x402Version, resource, accepts, extensions } = challengeHeader(endpoint, terms, '');
  const url = mcpUrl(terms);
  return {
    version2: {
      x402Version,
      error: '',
      message: '',
      resource: { ...resource, url },
      accepts,
      price: usdAmount(endpoint.priceMicros),
      details: {},
      offer_digest: offerDigest,
      extensions: { ...extensions, bazaar: toolBazaar(endpoint) },
    },
    // Without `outputSchema`: the declaration of the tool has it.
    version1Entry: { ...requirementsV1(endpoint, terms), resource: url, outputSchema: undefined },
    instructions:
      `To pay ${priceOf(endpoint)}, sign the entry of accepts (x402, scheme exact) and repeat the call with the payment in ` +
      '_meta["x402/payment"]; or put a credit into _meta["evenkeel/credit"]. The same payment is never charged twice.',
  };
}

/** Written for people: `0.05 USD`. */
export function priceOf({ priceMicros }: PaidEndpoint): string {
  return `${usdAmount(priceMicros).usd.toFixed(2)} USD`;
}
