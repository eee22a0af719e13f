import { createRequire } from 'node:module';
import { join } from 'node:path';
import { evenkeelClient, type Fetch, payingFetch as versionTwo, type ReceiptVerdict } from '@evenkeel/client';
import { type Operation, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { fetchedPackages } from '@evenkeel/services';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** The call came to no answer that could be paid for; the message says what to do. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  /** @param payment what was sent before, so that it can be sent again */
  constructor(
    message: string,
    options?: ErrorOptions,
    readonly payment?: SentPayment,
  ) {
    super(message, options);
  }
}

/** Which public client library pays. `v2-only` knows no version 1 schemes, as some agents are set up. */
export const CLIENT_KINDS = ['v1', 'v2', 'v2-only'] as const;

export type ClientKind = (typeof CLIENT_KINDS)[number];

/** The header that carried a payment, and its value as sent. */
export interface SentPayment {
  header: 'X-PAYMENT' | 'PAYMENT-SIGNATURE';
  value: string;
}

const PAYMENT_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'] as const;
const TIMEOUT_MS = 30_000;

/** A fetch that remembers what the client libraries keep to themselves: the challenge and the payment. */
class WatchedFetch {
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

/** The seller's statement about the settlement, in `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  success: boolean;
  /** Hash; empty while the settlement is pending, and when it failed. */
  transaction: string;
  network: string;
  payer?: string;
  amount?: string;
  status?: string;
  errorReason?: string;
}

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
 * @throws CallFailed when no service answers, or the library finds nothing to pay in the challenge
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
    throw failure(failed, { url, client, payment: watched.payment });
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

interface FailedCall extends Pick<PayForOptions, 'url' | 'client'> {
  payment: SentPayment | undefined;
}

function failure(error: Error, { url, client, payment }: FailedCall): CallFailed {
  const cause = error.cause as { code?: string } | undefined;
  const failed = (message: string): CallFailed => new CallFailed(message, { cause: error }, payment);
  if (error.name === 'TimeoutError') return failed(`${url} did not answer in time.`);
  if (cause?.code === 'ECONNREFUSED')
    return failed(`Nobody answers at ${url}. Start the service with "npm start", or name another with --url.`);
  const what = error.message === 'fetch failed' ? `The connection to ${url} failed` : `The ${client} client cannot pay`;
  return failed(`${what}: ${cause?.code ?? error.message}`);
}

/** Wraps a fetch so that it answers a 402 with a payment, by the library as anybody would use it. Loads only the one asked for. */
function payingFetch(kind: ClientKind, privateKey: Hex, fetch: Fetch): Promise<Fetch> {
  if (kind === 'v2') return versionTwo(privateKeyToAccount(privateKey), fetch);
  return kind === 'v1' ? versionOne(privateKey, fetch) : versionTwoOnly(privateKey, fetch);
}

/** The part of `x402-fetch` that is used, which brings so many packages that they are fetched when it first pays. */
interface VersionOneClient {
  wrapFetchWithPayment: (fetch: Fetch, account: PrivateKeyAccount) => Fetch;
}

async function versionOne(privateKey: Hex, fetch: Fetch): Promise<Fetch> {
  const packages = await fetchedPackages('tools/agent/packages');
  const { wrapFetchWithPayment } = createRequire(join(packages, 'package.json'))('x402-fetch') as VersionOneClient;
  const pay = wrapFetchWithPayment(fetch, privateKeyToAccount(privateKey));
  // This library repeats address and options, and cannot repeat a request whose body was sent.
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, headers } = request;
    return pay(request.url, { method, headers: Object.fromEntries(headers), body: await request.text() });
  };
}

async function versionTwoOnly(privateKey: Hex, fetch: Fetch): Promise<Fetch> {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch');
  const { ExactEvmScheme } = await import('@x402/evm');
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', scheme));
}

/** @returns the JSON of an answer, or its text when it is none */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns undefined when there is no receipt, or none that can be read */
export function readReceipt(headers: Headers): Receipt | undefined {
  const encoded = headers.get('PAYMENT-RESPONSE') ?? headers.get('X-PAYMENT-RESPONSE');
  if (!encoded) return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Receipt;
  } catch {
    return undefined;
  }
}
