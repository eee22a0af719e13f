import { readPaymentRequest, type PaymentRequest } from './payment-request';
import { PaymentRefused, type Wording } from './refusal';

/** A request as it came: with its payment, or with what is wrong with it. */
export interface Received {
  wording: Wording;
  payment: PaymentRequest | PaymentRefused;
}

/** Never throws: what cannot be read is refused like any other payment. */
export function receive(body: unknown, wordings: ReadonlySet<Wording>): Received {
  const wording = wordingOf(body);
  if (!wordings.has(wording)) return { wording, payment: new PaymentRefused('version') };
  try {
    return { wording, payment: readPaymentRequest(body) };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return { wording, payment: error };
  }
}

/** Anything but a 1 is spoken to in version 2. */
function wordingOf(body: unknown): Wording {
  const version = typeof body === 'object' && body !== null && 'x402Version' in body ? body.x402Version : undefined;
  return version === 1 ? 1 : 2;
}
