import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import type { Hex } from 'viem';
import { CallFailed } from './call-failed';
import { payingFetch, type ClientKind } from './paying-client';
import { readReceipt, type Receipt } from './receipt';
import { readBody, WatchedFetch, type SentPayment } from './watched-fetch';

export interface PayForOptions {
  /** Where the service is: scheme, host and port. */
  url: string;
  operation: Operation;
  /** Sent as JSON; a string is sent as it is. */
  body: unknown;
  client: ClientKind;
  privateKey: Hex;
  /** Further request headers, such as `Idempotency-Key`. */
  headers?: Record<string, string>;
}

export interface PaidCall {
  status: number;
  headers: Headers;
  /** JSON of the answer, or its text. */
  body: unknown;
  receipt: Receipt | undefined;
  /** Body of the 402 that asked for the payment; undefined when none did. */
  challenge: unknown;
  /** The payment as it was sent, so that it can be sent again. */
  payment: SentPayment | undefined;
}

/**
 * Calls a paid operation and pays for it with a public x402 client library.
 * A 402 after payment is an answer like any other; the caller looks at `status` and `receipt`.
 * @throws CallFailed when nobody answers, or the library finds nothing to pay in the challenge
 */
export async function payFor({ url, operation, body, client, privateKey, headers }: PayForOptions): Promise<PaidCall> {
  const watched = new WatchedFetch();
  const pay = await payingFetch(client, privateKey, watched.fetch);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text };

  const response = await pay(endpointUrl(url, operation), init).catch((error: Error) => {
    throw failure(error, url, client);
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await readBody(response),
    receipt: readReceipt(response.headers),
    challenge: watched.challenge,
    payment: watched.payment,
  };
}

export function endpointUrl(url: string, operation: Operation): string {
  const { path } = PAID_ENDPOINTS.find((endpoint) => endpoint.operation === operation)!;
  return new URL(path, url).href;
}

function failure(error: Error, url: string, client: ClientKind): CallFailed {
  const cause = error.cause as { code?: string } | undefined;
  if (error.name === 'TimeoutError') return new CallFailed(`${url} did not answer in time.`, { cause: error });
  if (cause?.code === 'ECONNREFUSED') {
    return new CallFailed(`Nobody answers at ${url}. Start the service with "npm start", or name another with --url.`, {
      cause: error,
    });
  }
  const what = error.message === 'fetch failed' ? `The connection to ${url} failed` : `The ${client} client cannot pay`;
  return new CallFailed(`${what}: ${cause?.code ?? error.message}`, { cause: error });
}
