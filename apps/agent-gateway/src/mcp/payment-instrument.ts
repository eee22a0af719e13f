import type { IncomingHttpHeaders } from 'node:http';
import type { PaymentInstrument } from '../payments/pay';
import { creditHeader, idempotencyKey, decodePayment, decodePaymentObject } from '../payments/decode-payment';
import { type Payment, invalidPaymentPayload, PaymentRefused } from '../calls/payment';
import type { ToolCall } from './tool';

/** One early client uses the second. */
const PAYMENT_KEYS = ['x402/payment', 'x402.payment'];
const PAYMENT_HEADERS = ['payment-signature', 'x-payment'];

interface SentPayment {
  /** Where it was found, for the refusal of one that cannot be read. */
  place: string;
  payment: unknown;
}

/** The payment and the credit of a tool call; null when it has neither. */
export function instrumentIn({ meta, context: { headers } }: ToolCall): PaymentInstrument | null {
  const payments: SentPayment[] = [
    ...PAYMENT_KEYS.map((key) => ({ place: `_meta["${key}"]`, payment: meta[key] })),
    ...PAYMENT_HEADERS.map((name) => ({ place: `the header ${name.toUpperCase()}`, payment: headers[name] })),
  ];
  const present = payments.filter(({ payment }) => payment !== undefined && payment !== null && payment !== '');
  const credit = creditIn(meta, headers);
  if (present.length === 0 && credit === null) return null;
  return { credit, payment: present.length === 0 ? null : () => onlyOne(present) };
}

/** Shows that a repeat comes from the sender of the first call. */
export function idempotencyKeyIn({ meta, context: { headers } }: ToolCall): string | null {
  const key = meta['evenkeel/idempotency-key'];
  return idempotencyKey(typeof key === 'string' ? { 'idempotency-key': key } : headers);
}

function creditIn(meta: ToolCall['meta'], headers: IncomingHttpHeaders): string | null {
  const credit = meta['evenkeel/credit'];
  return typeof credit === 'string' && credit !== '' ? credit : creditHeader(headers);
}

/** One client sends the same payment in two places. With two different payments it is unclear which one is meant. */
function onlyOne(present: readonly SentPayment[]): Payment {
  const [first, ...others] = present.map(decoded);
  if (others.every(({ payer, nonce }) => payer === first!.payer && nonce === first!.nonce)) return first!;
  throw invalidPaymentPayload('two different payments came with one call; neither was used');
}

function decoded({ place, payment }: SentPayment): Payment {
  try {
    if (typeof payment === 'string') return decodePayment(payment);
    if (typeof payment === 'object' && payment !== null) return decodePaymentObject(payment);
  } catch (error) {
    if (error instanceof PaymentRefused) throw invalidPaymentPayload(`${place}: ${error.message}`);
    throw error;
  }
  throw invalidPaymentPayload(`${place}: the payment is neither an object nor base64 of one`);
}
