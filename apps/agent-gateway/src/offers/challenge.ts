import { usdAmount } from '@evenkeel/kernel';
import type { PaidEndpoint } from '@evenkeel/contracts';
import { acceptsEntryV1, acceptsEntryV2, resourceOf } from './accepts';
import { compactBazaar, completeBazaar } from './bazaar';
import type { PaymentTerms } from '../config/payment-terms';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Why there is a 402: the code and the members that go with it. */
export interface ChallengeReason {
  error: string;
  message: string;
  details: object;
}

/** Clients add an id only when the header declares it. */
const PAYMENT_IDENTIFIER = {
  info: { required: false },
  schema: {
    $schema: DRAFT,
    type: 'object',
    properties: { required: { type: 'boolean' }, id: { type: 'string', minLength: 16, maxLength: 128 } },
    required: ['required'],
  },
};

/** The 402 body, version 1, without `extensions.preflight` (payments.md section 2). */
export function challengeBody(
  endpoint: PaidEndpoint,
  terms: PaymentTerms,
  offerDigest: string,
  { error, message, details }: ChallengeReason,
) {
  return {
    x402Version: 1,
    error,
    message,
    ...flatCopies(endpoint, terms),
    accepts: [acceptsEntryV1(endpoint, terms)],
    price: usdAmount(endpoint.priceMicros),
    details,
    offer_digest: offerDigest,
    extensions: { bazaar: completeBazaar(endpoint) },
  };
}

/** The object of the `PAYMENT-REQUIRED` header: the same offer, version 2. */
export function challengeHeader(endpoint: PaidEndpoint, terms: PaymentTerms, error: string) {
  return {
    x402Version: 2,
    error,
    resource: resourceOf(endpoint, terms),
    accepts: [acceptsEntryV2(endpoint, terms)],
    extensions: { 'payment-identifier': PAYMENT_IDENTIFIER, bazaar: compactBazaar(endpoint) },
    ...flatCopies(endpoint, terms),
  };
}

/** For readers that want the members at the top. */
function flatCopies(endpoint: PaidEndpoint, { chain, asset, payTo }: PaymentTerms) {
  return { scheme: 'exact', network: chain.caip2, asset, payTo, amount: String(endpoint.priceMicros) };
}
