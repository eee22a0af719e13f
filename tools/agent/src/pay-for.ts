import { evenkeelClient, type ReceiptVerdict } from '@evenkeel/client';
import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import type { Hex } from 'viem';
import { CallFailed } from './call-failed';
import { payingFetch, type ClientKind } from './paying-client';
import { readReceipt, type Receipt } from './receipt';
import { parsed, WatchedFetch, type SentPayment } from './watched-fetch';

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
  /** The request body and, when it was answered, the answer: both as they went over the wire. */
  sent: string;
  received: string | undefined;
  receipt: Receipt | undefined;
  /** Body of the 402 that asked for the payment; undefined when none did. */
  challenge: unknown;
  /** The payment as it was sent, so that it can be sent again. */
  payment: SentPayment | undefined;
  /** Whether the signed receipt holds; null when there is none. Fetches the seller's keys. */
  verdict(): Promise<ReceiptVerdict | null>;
}

/**
 * Calls a paid operation and pays for it with a public x402 client library.
 * A 402 after payment is an answer like any other; the caller looks at `status` and `receipt`.
 * @throws CallFailed when nobody answers, or the library finds nothing to pay in the challenge
 */
export async function payFor({ url, operation, body, client, privateKey, headers }: PayForOptions): Promise<PaidCall> {
  const watched = new WatchedFetch();
  const fetch = await payingFetch(client, privateKey, watched.fetch);
  const seller = evenkeelClient({ baseUrl: url, fetch });
  const sent = typeof body === 'string' ? body : JSON.stringify(body);

  // The types are those of one operation, for all of them: what is sent may be wrong on purpose.
  const called = seller.POST(pathOf(operation) as '/agent/v1/habits/analyze', {
    body: sent as never,
    bodySerializer: String,
    headers,
    parseAs: 'text',
  });
  const { response, data, error } = await called.catch((failed: Error) => {
    throw failure(failed, url, client);
  });
  return {
    status: response.status,
    headers: response.headers,
    body: data === undefined ? error : parsed(data),
    sent,
    received: data,
    receipt: readReceipt(response.headers),
    challenge: watched.challenge,
    payment: watched.payment,
    verdict: () => seller.verdictOn(response),
  };
}

export function endpointUrl(url: string, operation: Operation): string {
  return new URL(pathOf(operation), url).href;
}

function pathOf(operation: Operation): string {
  return PAID_ENDPOINTS.find((endpoint) => endpoint.operation === operation)!.path;
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
