import type { IncomingHttpHeaders } from 'node:http';
import { decodePayment } from './decode-payment';
import type { PaymentInstrument } from './answer-call';

/** The header that carries the payment, of either protocol version; `X-PAYMENT` wins when both are sent. */
export function paymentHeader(headers: IncomingHttpHeaders): string | null {
  return textOf(headers['x-payment']) ?? textOf(headers['payment-signature']);
}

/** The token of a credit that shall pay for the call. */
export function creditHeader(headers: IncomingHttpHeaders): string | null {
  return textOf(headers['x-agent-credit']);
}

/** Nothing came along that could pay. */
export function isUnpaid(headers: IncomingHttpHeaders): boolean {
  return paymentHeader(headers) === null && creditHeader(headers) === null;
}

export function instrumentIn(headers: IncomingHttpHeaders): PaymentInstrument {
  const payment = paymentHeader(headers);
  return { credit: creditHeader(headers), payment: payment === null ? null : () => decodePayment(payment) };
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Outside its documented form the key is ignored. */
export function idempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = textOf(headers['idempotency-key']);
  return key !== null && PRINTABLE.test(key) ? key : null;
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}
