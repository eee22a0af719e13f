import {
  type FailedCall,
  HTTP_CONVENTIONS,
  AgentErrorBody,
  componentOf,
  ErrorBody,
  PAID_ENDPOINTS,
  PaymentRequired,
  type Class,
  type OpenApiComponents,
  type OpenApiExample,
  type OpenApiReference,
  type OpenApiResponse,
  type ProvokingRequest,
} from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import {
  errorAnswer,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  UnsupportedMediaType,
} from '@evenkeel/platform/http';
import { refusalExample } from '@evenkeel/platform/openapi';
import type { PaymentTerms } from '../config/payment-terms';
import { PreparedChallenge, UNPAID } from '../offers/challenges';
import { PaymentVerificationUnavailable, SettlementUnknown } from '../payments/settlement-errors';

const text = { type: 'string' };

/** Headers that several answers have, as `components.headers`. */
export const ANSWER_HEADERS = {
  RequestId: { description: "The caller's X-Request-Id when it is well formed, else a new one", schema: text },
  PaymentRequired: {
    description: 'The offer as x402 version 2: base64 of JSON, at most 4096 characters',
    schema: text,
  },
  PaymentResponse: {
    description: 'Receipt of the settlement: base64 of JSON with success, transaction, network, payer, amount, status',
    schema: text,
  },
  CreditStatus: { description: 'What became of the credit: redeemed, spent or invalid', schema: text },
  ContentDigest: { description: 'SHA-256 of the body (RFC 9530)', schema: text },
  EngineVersion: { description: 'Of the scoring engine: equal input gives equal bytes for one version', schema: text },
  Receipt: { description: 'Signed receipt: a compact JWS, checked with /.well-known/receipt-jwks.json', schema: text },
  Replayed: { description: 'true on every answer but the first to one payment', schema: text },
  RetryAfter: { description: 'Seconds to wait before the identical request', schema: { type: 'integer', minimum: 1 } },
  RateLimit: { description: 'How the limit stands (IETF draft): "agent";r=599;t=60', schema: text },
  RateLimitPolicy: { description: 'The limit (IETF draft): "agent";q=600;w=60', schema: text },
  ETag: { description: 'For If-None-Match', schema: text },
} satisfies OpenApiComponents['headers'];

type HeaderName = keyof typeof ANSWER_HEADERS;

/** @param names HTTP name to component */
export function headers(names: Record<string, HeaderName>): Record<string, OpenApiReference> {
  const all: Record<string, HeaderName> = { 'X-Request-Id': 'RequestId', ...names };
  return Object.fromEntries(
    Object.entries(all).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

export const LIMIT_HEADERS = { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } as const;

const AGENT = '/agent/v1';
const DOCUMENT = '/';
const RETRY = { 'Retry-After': 'RetryAfter' } as const;
const RECEIPT = { 'PAYMENT-RESPONSE': 'PaymentResponse', 'X-PAYMENT-RESPONSE': 'PaymentResponse' } as const;
const limited = new RateLimited({ scope: 'address', limit: 600, window_seconds: 60 });

/** Refusals that are the same wherever they are met, as `components.responses`. */
export function sharedResponses(terms: PaymentTerms, offerDigest: string): Record<string, OpenApiResponse> {
  return {
    PaymentRequired: {
      description:
        'The offer. error is payment_required without a payment; else what is wrong with it: invalid_payment_payload, ' +
        'unsupported_scheme, unsupported_network, wrong_recipient, wrong_asset, amount_mismatch, authorization_expired, ' +
        'authorization_not_yet_valid, authorization_valid_too_long, payment_already_used, payment_rejected, settlement_failed, credit_spent, credit_invalid. Nothing was charged.',
      headers: headers({
        'PAYMENT-REQUIRED': 'PaymentRequired',
        ...RECEIPT,
        'X-Agent-Credit-Status': 'CreditStatus',
        ...LIMIT_HEADERS,
      }),
      ...json(PaymentRequired, { unpaid: unpaidExample(terms, offerDigest) }),
    },
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
    },
    AgentNotFound: {
      description: 'Nothing is known about it',
      headers: headers(LIMIT_HEADERS),
      ...json(AgentErrorBody, {
        unknown: errorExample(AGENT, new NotFound(), { path: `${AGENT}/payments/0x${'0'.repeat(64)}` }),
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

/** Without the schemas in it: they have references of their own, which readers of this document would take for its. */
function unpaidExample(terms: PaymentTerms, offerDigest: string): OpenApiExample {
  const challenge = new PreparedChallenge(PAID_ENDPOINTS[0]!, terms, offerDigest);
  const { body } = challenge.with(UNPAID, { body_present: false });
  const offer = JSON.parse(body) as { accepts: [{ outputSchema: object }]; extensions: { preflight: object } };
  const [{ outputSchema: _, ...accepted }] = offer.accepts;
  const { preflight } = offer.extensions;
  return {
    summary: 'The offer of the first endpoint, without the schemas in accepts and extensions.bazaar',
    value: { ...offer, accepts: [accepted], extensions: { preflight } },
  };
}

export function shared(name: keyof ReturnType<typeof sharedResponses>): OpenApiReference {
  return { $ref: `#/components/responses/${name}` };
}

/** The content of an answer of one class. */
export function json(type: Class, examples: Record<string, OpenApiExample>): Pick<OpenApiResponse, 'content'> {
  return { content: { 'application/json': { schema: componentOf(type), examples } } };
}

/**
 * An error as it is answered on a path.
 * @param error undefined for an unforeseen one
 */
export function errorExample(
  path: string,
  error?: DomainError,
  provokedBy?: ProvokingRequest,
  about?: FailedCall,
): OpenApiExample {
  return refusalExample(HTTP_CONVENTIONS.errorShape(path, errorAnswer(error), about), provokedBy);
}
