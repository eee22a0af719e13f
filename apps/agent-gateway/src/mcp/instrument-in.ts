import type { IncomingHttpHeaders } from 'node:http';
import type { PaymentInstrument } from '../payments/answer-call';
import { creditHeader, idempotencyKey } from '../payments/payment-header';
import { decodePayment, decodePaymentObject } from '../payments/decode-payment';
import type { Payment } from '../calls/payment';
import { invalidPaymentPayload } from '../calls/payment-refused';
import type { ToolCall } from './tool';

/** The second is that of one early client. */
const PAYMENT_KEYS = ['x402/payment', 'x402.payment'];
const PAYMENT_HEADERS = ['payment-signature', 'x-payment'];

/** What came along to pay for a tool call; null when nothing did. */
export function instrumentIn({ meta, context: { headers } }: ToolCall): PaymentInstrument | null {
  const payments = [...PAYMENT_KEYS.map((key) => meta[key]), ...PAYMENT_HEADERS.map((name) => headers[name])];
  const present = payments.filter((payment) => payment !== undefined && payment !== null && payment !== '');
  const credit = creditIn(meta, headers);
  if (present.length === 0 && credit === null) return null;
  return { credit, payment: present.length === 0 ? null : () => theOne(present) };
}

/** Shows, in a repeat, that it comes from the sender of the first call. */
export function idempotencyKeyIn({ meta, context: { headers } }: ToolCall): string | null {
  const key = meta['evenkeel/idempotency-key'];
  return idempotencyKey(typeof key === 'string' ? { 'idempotency-key': key } : headers);
}

function creditIn(meta: ToolCall['meta'], headers: IncomingHttpHeaders): string | null {
  const credit = meta['evenkeel/credit'];
  return typeof credit === 'string' && credit !== '' ? credit : creditHeader(headers);
}

/** One client sends the same payment in two places. Of two different ones nobody knows which is meant. */
function theOne(present: readonly unknown[]): Payment {
  const [first, ...others] = present.map(decoded);
  if (others.every(({ payer, nonce }) => payer === first!.payer && nonce === first!.nonce)) return first!;
  throw invalidPaymentPayload('two different payments came with one call; neither was used');
}

function decoded(payment: unknown): Payment {
  if (typeof payment === 'string') return decodePayment(payment);
  if (typeof payment === 'object' && payment !== null) return decodePaymentObject(payment);
  throw invalidPaymentPayload('the payment is neither an object nor base64 of one');
}
