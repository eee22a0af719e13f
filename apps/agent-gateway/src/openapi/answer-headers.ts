import type { OpenApiComponents, OpenApiReference } from '@evenkeel/contracts';

const text = { type: 'string' };

/** Headers that several answers carry, as `components.headers`. */
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
