import {
  AgentErrorBody,
  componentOf,
  ErrorBody,
  PAID_ENDPOINTS,
  PaymentRequired,
  type Class,
  type OpenApiExample,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import { PayloadTooLarge, RateLimited, ServiceUnavailable, UnsupportedMediaType } from '@evenkeel/platform/http';
import type { PaymentTerms } from '../config/payment-terms';
import { errorExample, headers, LIMIT_HEADERS, type SharedAnswerName } from '../documentation/answers';
import { PreparedChallenge, PROBED, UNPAID, type Challenge } from '../offers/challenges';
import { UnknownPayment } from '../payments/find-payment-status';
import { PaymentVerificationUnavailable, SettlementUnknown } from '../payments/settlement-outcome';

interface SharedSettings {
  terms: PaymentTerms;
  offerDigest: string;
}

const AGENT = '/agent/v1';
const DOCUMENT = '/';
const RETRY = { 'Retry-After': 'RetryAfter' } as const;
const RECEIPT = { 'PAYMENT-RESPONSE': 'PaymentResponse', 'X-PAYMENT-RESPONSE': 'PaymentResponse' } as const;
/** The nonce is in the request, signed and encoded: no expression reads it there. */
export const WAS_I_CHARGED = {
  wasICharged: {
    operationId: 'getPaymentStatus',
    description: 'Was I charged? nonce is that of the authorization that was signed.',
  },
};
const limited = new RateLimited({ scope: 'address', limit: 600, window_seconds: 60 });

/** Refusals that are the same wherever they are met, as `components.responses`. */
export function sharedAnswers(settings: SharedSettings): Record<SharedAnswerName, OpenApiResponse> {
  return {
    ...offers(settings),
    AgentPayloadTooLarge: {
      description: 'The body is too long; nothing was charged',
      headers: headers({}),
      ...json(AgentErrorBody, { tooLarge: errorExample(AGENT, new PayloadTooLarge({ max_bytes: 131_072 })) }),
    },
    AgentUnsupportedMediaType: {
      description: 'A paid body is JSON in UTF-8, plain or gzip; nothing was charged',
      headers: headers(LIMIT_HEADERS),
      ...json(AgentErrorBody, {
        notJson: errorExample(AGENT, new UnsupportedMediaType(), { headers: { 'content-type': 'text/plain' } }),
      }),
    },
    AgentRateLimited: {
      description:
        'Too many calls of this address or wallet, or at once. This request charged nothing; charged is null when it may ' +
        'repeat one that did and the ledger was not asked.',
      headers: headers({ ...RETRY, ...LIMIT_HEADERS }),
      ...json(AgentErrorBody, { limited: errorExample(AGENT, limited) }),
    },
    AgentInternalError: {
      description:
        'Something failed on our side. charged is null when a payment or a credit came along: the identical request never ' +
        'charges twice.',
      headers: headers(LIMIT_HEADERS),
      ...json(AgentErrorBody, { unforeseen: errorExample(AGENT, undefined, undefined, { mayBeCharged: true }) }),
    },
    PaymentUnclear: {
      description:
        'payment_verification_unavailable: nothing was charged. settlement_unknown: charged is null, the identical request ' +
        'never charges twice and gets its answer once the payment has settled.',
      headers: headers({ ...RETRY, ...LIMIT_HEADERS }),
      ...json(AgentErrorBody, {
        unverified: errorExample(AGENT, new PaymentVerificationUnavailable()),
        unknown: errorExample(AGENT, new SettlementUnknown()),
      }),
      links: WAS_I_CHARGED,
    },
    AgentNotFound: {
      description: 'Nothing is known about it',
      headers: headers(LIMIT_HEADERS),
      ...json(AgentErrorBody, {
        unknown: errorExample(AGENT, new UnknownPayment(), { path: `${AGENT}/payments/0x${'0'.repeat(64)}` }),
      }),
    },
    AgentServiceUnavailable: {
      description: 'The ledger does not answer just now',
      headers: headers({ ...RETRY, ...LIMIT_HEADERS }),
      ...json(AgentErrorBody, { unavailable: errorExample(AGENT, new ServiceUnavailable()) }),
    },
    PayloadTooLarge: {
      description: 'The body is too long',
      headers: headers({}),
      ...json(ErrorBody, { tooLarge: errorExample(DOCUMENT, new PayloadTooLarge({ max_bytes: 131_072 })) }),
    },
    UnsupportedMediaType: {
      description: 'A body is JSON in UTF-8, plain or gzip',
      headers: headers(LIMIT_HEADERS),
      ...json(ErrorBody, {
        notJson: errorExample(DOCUMENT, new UnsupportedMediaType(), { headers: { 'content-type': 'text/plain' } }),
      }),
    },
    RateLimited: {
      description: 'Too many requests from this address',
      headers: headers({ ...RETRY, ...LIMIT_HEADERS }),
      ...json(ErrorBody, { limited: errorExample(DOCUMENT, limited) }),
    },
    NotModified: {
      description: 'The caller has it: the ETag is the one of If-None-Match',
      headers: headers({ ETag: 'ETag', ...LIMIT_HEADERS }),
    },
  };
}

/** The 402s, with the offer of the service that answers. */
export function offers(settings: SharedSettings): Record<'PaymentRequired' | 'ProbedOffer', OpenApiResponse> {
  const challenge = new PreparedChallenge(PAID_ENDPOINTS[0]!, settings.terms, settings.offerDigest);
  return {
    PaymentRequired: {
      description:
        'The offer, in the body and, as version 2, in PAYMENT-REQUIRED: register the version 2 scheme with your client (in Go and ' +
        'Rust too: one that registers version 1 alone reads the version 2 header and cannot pay). error is payment_required without a payment; else what is wrong with it: invalid_payment_payload, ' +
        'unsupported_scheme, unsupported_network, wrong_recipient, wrong_asset, amount_mismatch, authorization_expired, ' +
        'authorization_not_yet_valid, authorization_valid_too_long, payment_already_used, payment_rejected, settlement_failed, credit_spent, credit_invalid. Nothing was charged.',
      headers: headers({
        'PAYMENT-REQUIRED': 'PaymentRequired',
        ...RECEIPT,
        'X-Agent-Credit-Status': 'CreditStatus',
        ...LIMIT_HEADERS,
      }),
      ...json(PaymentRequired, { unpaid: offerExample(challenge.with(UNPAID, { body_present: false })) }),
    },
    ProbedOffer: {
      description: 'The offer, always. A payment or a credit that comes along is ignored and not charged.',
      headers: headers({ 'PAYMENT-REQUIRED': 'PaymentRequired', Allow: 'Allow' }),
      ...json(PaymentRequired, { probed: offerExample(challenge.with(PROBED)) }),
    },
  };
}

/** Without the schemas in it: they have references of their own, which readers of this document would take for its. */
function offerExample({ body }: Challenge): OpenApiExample {
  const offer = JSON.parse(body.toString()) as {
    accepts: [{ outputSchema: object }];
    extensions: { preflight?: object };
  };
  const [{ outputSchema: _, ...accepted }] = offer.accepts;
  const { preflight } = offer.extensions;
  return {
    summary: 'The offer of the first endpoint, without the schemas in accepts and extensions.bazaar',
    value: { ...offer, accepts: [accepted], extensions: { ...(preflight && { preflight }) } },
  };
}

/** The content of an answer of one class. */
function json(type: Class, examples: Record<string, OpenApiExample>): Pick<OpenApiResponse, 'content'> {
  return { content: { 'application/json': { schema: componentOf(type), examples } } };
}
