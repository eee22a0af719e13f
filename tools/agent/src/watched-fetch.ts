import type { Fetch } from '@evenkeel/client';

/** The header that carried a payment, and its value as sent. */
export interface SentPayment {
  header: 'X-PAYMENT' | 'PAYMENT-SIGNATURE';
  value: string;
}

const PAYMENT_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'] as const;
const TIMEOUT_MS = 30_000;

/** A fetch that remembers what the client libraries keep to themselves: the challenge and the payment. */
export class WatchedFetch {
  /** Body of the 402 that asked for the payment. */
  challenge: unknown;
  payment: SentPayment | undefined;

  readonly fetch: Fetch = async (input, init) => {
    const request = new Request(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const header = PAYMENT_HEADERS.find((name) => request.headers.has(name));
    if (header) this.payment = { header, value: request.headers.get(header)! };
    const response = await fetch(request);
    if (response.status === 402 && !header) this.challenge = parsed(await response.clone().text());
    return response;
  };
}

/** @returns the JSON of an answer, or its text when it is none */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
