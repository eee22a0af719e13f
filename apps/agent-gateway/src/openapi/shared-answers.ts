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
const WAITING = { 'Retry-After': 'RetryAfter', ...LIMIT_HEADERS } as const;
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
  const tooLarge = new PayloadTooLarge({ max_bytes: 131_072 });
  const plain = { headers: { 'content-type': 'text/plain' } };
  return {
    ...offers(settings),
    AgentPayloadTooLarge: ofAgent(
      'The body is too long; nothing was charged',
      {},
      {
        tooLarge: errorExample(AGENT, tooLarge),
      },
    ),
    AgentUnsupportedMediaType: ofAgent(
      'A paid body is JSON in UTF-8, plain or gzip; nothing was charged',
      LIMIT_HEADERS,
      {
        notJson: errorExample(AGENT, new UnsupportedMediaType(), plain),
      },
    ),
    AgentRateLimited: ofAgent(
      'Too many calls of this address or wallet, or at once. This request charged nothing; charged is null when it may ' +
        'repeat one that did and the ledger was not asked.',
      WAITING,
      { limited: errorExample(AGENT, limited) },
    ),
    AgentInternalError: ofAgent(
      'Something failed on our side. charged is null when a payment or a credit came along: the identical request never ' +
        'charges twice.',
      LIMIT_HEADERS,
      { unforeseen: errorExample(AGENT, undefined, undefined, { mayBeCharged: true }) },
    ),
    PaymentUnclear: {
      ...ofAgent(
        'payment_verification_unavailable: nothing was charged. settlement_unknown: charged is null, the identical request ' +
          'never charges twice and gets its answer once the payment has settled.',
        WAITING,
        {
          unverified: errorExample(AGENT, new PaymentVerificationUnavailable()),
          unknown: errorExample(AGENT, new SettlementUnknown()),
        },
      ),
      links: WAS_I_CHARGED,
    },
    AgentNotFound: ofAgent('Nothing is known about it', LIMIT_HEADERS, {
      unknown: errorExample(AGENT, new UnknownPayment(), { path: `${AGENT}/payments/0x${'0'.repeat(64)}` }),
    }),
    AgentServiceUnavailable: ofAgent('The ledger does not answer just now', WAITING, {
      unavailable: errorExample(AGENT, new ServiceUnavailable()),
    }),
    RateLimited: refusal(ErrorBody, 'Too many requests from this address', WAITING, {
      limited: errorExample(DOCUMENT, limited),
    }),
    NotModified: {
      description: 'The caller has it: the ETag is the one of If-None-Match',
      headers: headers({ ETag: 'ETag', ...LIMIT_HEADERS }),
    },
  };
}

type Examples = Record<string, OpenApiExample>;

function ofAgent(description: string, names: Parameters<typeof headers>[0], examples: Examples): OpenApiResponse {
  return refusal(AgentErrorBody, description, names, examples);
}

function refusal(
  type: Class,
  description: string,
  names: Parameters<typeof headers>[0],
  examples: Examples,
): OpenApiResponse {
  const content = { 'application/json': { schema: componentOf(type), examples } };
  return { description, headers: headers(names), content };
}

/** The 402s, with the offer of the service that answers. */
export function offers(settings: SharedSettings): Record<'PaymentRequired' | 'ProbedOffer', OpenApiResponse> {
  const challenge = new PreparedChallenge(PAID_ENDPOINTS[0]!, settings.terms, settings.offerDigest);
  return {
    PaymentRequired: refusal(
      PaymentRequired,
      'The offer, in the body and, as version 2, in PAYMENT-REQUIRED: register the version 2 scheme with your client (in Go and ' +
        'Rust too: one that registers version 1 alone reads the version 2 header and cannot pay). error is payment_required without a payment; else what is wrong with it: invalid_payment_payload, ' +
        'unsupported_scheme, unsupported_network, wrong_recipient, wrong_asset, amount_mismatch, authorization_expired, ' +
        'authorization_not_yet_valid, authorization_valid_too_long, payment_already_used, payment_rejected, settlement_failed, credit_spent, credit_invalid. Nothing was charged.',
      { 'PAYMENT-REQUIRED': 'PaymentRequired', ...RECEIPT, 'X-Agent-Credit-Status': 'CreditStatus', ...LIMIT_HEADERS },
      { unpaid: offerExample(challenge.with(UNPAID, { body_present: false })) },
    ),
    ProbedOffer: refusal(
      PaymentRequired,
      'The offer, always. A payment or a credit that comes along is ignored and not charged.',
      { 'PAYMENT-REQUIRED': 'PaymentRequired', Allow: 'Allow' },
      { probed: offerExample(challenge.with(PROBED)) },
    ),
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
