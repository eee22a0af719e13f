import { getAddress } from 'viem';
import type { PaymentErrorCode } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';

/** The six members that the payer signed (EIP-3009), in the buyer's spelling. */
export interface Authorization {
  from: string;
  to: string;
  /** Atomic units, decimal digits. */
  value: string;
  /** Seconds since 1970, decimal digits. */
  validAfter: string;
  validBefore: string;
  nonce: string;
}

/** How much longer than the offer asks an authorization may be valid. No payment is awaited for longer than that. */
export const MAX_SECONDS_LONGER = 600;

/** A decoded payment header; nothing in it is verified yet. */
export interface Payment {
  version: 1 | 2;
  scheme: string;
  /** In the buyer's spelling, which the settlement response repeats. */
  network: string;
  authorization: Authorization;
  signature: string;
  /** Lower case: with the nonce, the identity of the payment. */
  payer: string;
  nonce: string;
  /** The terms that a version 2 buyer says it accepted; null in version 1. */
  accepted: { asset: unknown; payTo: unknown; amount: unknown } | null;
  /** The buyer's own id (`payment-identifier` extension), 16 to 128 characters. */
  identifier: string | null;
  /** SHA-256, hex, of the whole decoded header in canonical form: equal for two headers with the same payment. */
  digest: string;
}

type SettlementStatus = 'settled' | 'settlement_pending' | 'settlement_failed';

/** The settlement response in two equal headers: version 1 clients read the first name, version 2 clients the second. */
export function settlementResponse(
  payment: Payment,
  outcome: { status: SettlementStatus; transactionHash: string | null; errorReason?: string },
): Record<string, string> {
  const { status, transactionHash, errorReason } = outcome;
  const response = {
    success: status !== 'settlement_failed',
    ...(errorReason !== undefined && { errorReason }),
    transaction: (status === 'settled' ? transactionHash : null) ?? '',
    network: payment.network,
    payer: getAddress(payment.payer),
    amount: payment.authorization.value,
    status,
  };
  const encoded = Buffer.from(JSON.stringify(response)).toString('base64');
  return { 'X-PAYMENT-RESPONSE': encoded, 'PAYMENT-RESPONSE': encoded };
}

/** `pay_again`: sign a new payment. `do_not_retry`: this one is spent. */
type Retry = 'pay_again' | 'do_not_retry';

/** A payment that is not taken: 402 with a fresh challenge. */
export class PaymentRefused extends DomainError {
  /** Sent with the refusal: the settlement response, the status of a credit. */
  readonly headers: Record<string, string> = {};
  readonly kind = 'payment_required';
  override readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: PaymentErrorCode,
    message: string,
    details: Record<string, unknown> = {},
    retry: Retry = 'pay_again',
  ) {
    super(message);
    this.details = { ...details, charged: false, retry };
  }
}

export function invalidPaymentPayload(message: string): PaymentRefused {
  return new PaymentRefused('invalid_payment_payload', message);
}

export function paymentAlreadyUsed(): PaymentRefused {
  return new PaymentRefused(
    'payment_already_used',
    'This authorization, or the payment identifier with it, was used before; for a new request sign with new ones.',
    {},
    'do_not_retry',
  );
}

/** Printable ASCII that JSON writes as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Canonical JSON (RFC 8785) of a value that came from JSON. Every paid call needs it, so it is our own: the package takes twice
 * as long.
 * @param spelled replaces a text value; not called for the names of members
 * @throws RangeError for a number that is not finite, such as 1e999
 */
export function canonicalJson(value: unknown, spelled: (text: string) => string = asItIs): string {
  if (typeof value === 'string') return quoted(spelled(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number is too large');
  if (typeof value !== 'object' || value === null) return String(value);
  let inner = '';
  if (Array.isArray(value)) {
    for (const item of value) inner += `${inner === '' ? '' : ','}${canonicalJson(item, spelled)}`;
    return `[${inner}]`;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members).sort()) {
    inner += `${inner === '' ? '' : ','}${quoted(name)}:${canonicalJson(members[name], spelled)}`;
  }
  return `{${inner}}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function asItIs(text: string): string {
  return text;
}
