import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { PaymentTerms } from '../config/payment-terms';
import { decodePayment } from './decode-payment';
import type { Authorization, Payment } from '../calls/payment';

export const noon = new Date('2026-01-31T12:00:00.000Z');
export const base = CHAINS[0]!;
/** 0.05 USD. */
export const analyze = PAID_ENDPOINTS[0]!;
/** For `analyze`, and not its example. */
export const otherBody = { habits: [{ name: 'Read', completion_rate: 0.5, current_streak: 1, best_streak: 4 }] };

export const terms: PaymentTerms = {
  baseUrl: 'https://api.example',
  chain: base,
  asset: base.usdc.address,
  assetName: base.usdc.name,
  assetVersion: base.usdc.version,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
  bodyNetwork: 'short',
};

/** Pays for one call of `analyze`; valid for five minutes after noon. */
export function anAuthorization(over: Partial<Authorization> = {}): Authorization {
  return {
    from: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
    to: terms.payTo,
    value: '50000',
    validAfter: '0',
    validBefore: String(noon.getTime() / 1_000 + 300),
    nonce: `0x${'aB'.repeat(32)}`,
    ...over,
  };
}

/** What is around the signed part of a payment. */
export interface PayloadParts {
  version?: 1 | 2;
  /** Members of a version 1 payload, or of `accepted` in version 2. */
  offer?: Record<string, unknown>;
  extensions?: unknown;
}

export interface SignedPart {
  signature: string;
  authorization: Authorization;
}

/** The payload of a payment header. */
export function payloadOf(payload: SignedPart, { version = 1, offer, extensions }: PayloadParts = {}) {
  if (version === 1) return { x402Version: 1, scheme: 'exact', network: base.shortName, payload, ...offer };
  const { asset, payTo } = terms;
  const { value: amount } = payload.authorization;
  const accepted = { scheme: 'exact', network: base.caip2, amount, asset, payTo, ...offer };
  return { x402Version: 2, accepted, payload, ...(extensions !== undefined && { extensions }) };
}

type Wish = PayloadParts & { authorization?: Partial<Authorization>; signature?: string };

/** The same; only the form of its signature is right. */
export function aPayload({ authorization, signature = `0x${'Cd'.repeat(65)}`, ...parts }: Wish = {}) {
  return payloadOf({ signature, authorization: anAuthorization(authorization) }, parts);
}

export function headerOf(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64');
}

export function aPayment(wish: Wish = {}): Payment {
  return decodePayment(headerOf(aPayload(wish)));
}

/** The settlement response of an answer; its two headers must be equal. */
export function settlementResponseIn(headers: Headers): Record<string, unknown> | null {
  const [one, two] = [headers.get('x-payment-response'), headers.get('payment-response')];
  if (one !== two) throw new Error('the headers of the settlement response differ');
  return one === null ? null : (JSON.parse(Buffer.from(one, 'base64').toString()) as Record<string, unknown>);
}
