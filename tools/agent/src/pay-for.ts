import { createRequire } from 'node:module';
import { join } from 'node:path';
import { evenkeelClient, type Fetch, payingFetch as versionTwo, type ReceiptVerdict } from '@evenkeel/client';
import { type Operation, PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { fetchedPackages } from '@evenkeel/services';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** Which public client library pays. `v2-only` knows no version 1 schemes, as some agents are set up. */
export const CLIENT_KINDS = ['v1', 'v2', 'v2-only'] as const;

const PAYMENT_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'] as const;
const TIMEOUT_MS = 30_000;

/** The header that carried a payment, and its value as sent. */
export interface SentPayment {
  header: (typeof PAYMENT_HEADERS)[number];
  value: string;
}

/** The call was not answered, or its client could not pay; a payment that was sent before can be sent again. */
export class CallFailed extends Error {
  constructor(
    message: string,
    cause: Error,
    readonly payment?: SentPayment,
  ) {
    super(message, { cause });
  }
}

/** The seller's statement about the settlement, in `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  success: boolean;
  /** Hash; empty while the settlement is pending, and when it failed. */
  transaction: string;
  status?: string;
}

interface Order {
  /** Where the service is: scheme, host and port. */
  url: string;
  operation: Operation;
  /** Sent as JSON; a string is sent as it is. */
  body: unknown;
  client: (typeof CLIENT_KINDS)[number];
  privateKey: Hex;
  /** Called with what was signed, before it is sent. */
  onPayment?: (signed: SignedTransfer) => void;
}

/** The members of an authorization (EIP-3009) by which its payer finds it again. */
interface SignedTransfer {
  nonce: string;
  /** Atomic units, decimal. */
  value: string;
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
  /** The payment as it was sent, so that it can be sent again. */
  payment: SentPayment | undefined;
  /** Whether the signed receipt holds; null when there is none. Fetches the seller's keys. */
  verdict(): Promise<ReceiptVerdict | null>;
}

/**
 * Calls a paid operation and pays for it with a public x402 client library.
 * A 402 after payment is an answer like any other; the caller looks at `status` and `receipt`.
 * @throws CallFailed when no service answers, or the library finds nothing to pay in the challenge, or a payment of another kind
 */
export async function payFor(order: Order): Promise<PaidCall> {
  const { url, operation, body } = order;
  const seen: { payment?: SentPayment } = {};
  // The client libraries keep the payment to themselves.
  const watched: Fetch = async (input, init) => {
    const request = new Request(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const header = PAYMENT_HEADERS.find((name) => request.headers.has(name));
    if (header) {
      const payment = { header, value: request.headers.get(header)! };
      const signed = signedIn(payment);
      order.onPayment?.(signed);
      seen.payment = payment;
    }
    return fetch(request);
  };
  const seller = evenkeelClient({ baseUrl: url, fetch: await payingFetch(order, watched) });
  const sent = typeof body === 'string' ? body : JSON.stringify(body);

  // The types are those of one operation, for all of them: what is sent may be wrong on purpose.
  const called = seller.POST(endpointOf(operation).path as '/agent/v1/habits/analyze', {
    body: sent as never,
    bodySerializer: String,
    parseAs: 'text',
  });
  const { response, data, error } = await called.catch((failed: Error) => {
    const sent = seen.payment
      ? ` The payment was sent: ${statusAddress(seen.payment, url)} says what became of it.`
      : '';
    throw new CallFailed(reasonOf(failed, order) + sent, failed, seen.payment);
  });
  return {
    status: response.status,
    headers: response.headers,
    body: data === undefined ? error : parsed(data),
    sent,
    received: data,
    receipt: readReceipt(response.headers),
    payment: seen.payment,
    verdict: () => seller.verdictOn(response),
  };
}

export function endpointOf(operation: Operation): PaidEndpoint {
  return PAID_ENDPOINTS.find((endpoint) => endpoint.operation === operation)!;
}

/** Says, free, whether the payment was charged. */
export function statusAddress(payment: SentPayment, url: string): string {
  return new URL(`/agent/v1/payments/${signedIn(payment).nonce}`, url).href;
}

/** @throws Error for a payment of another kind, such as a permit, of which the service cannot tell what became */
export function signedIn({ value }: SentPayment): SignedTransfer {
  const { payload } = parsed(Buffer.from(value, 'base64').toString()) as {
    payload: { authorization?: SignedTransfer };
  };
  if (payload.authorization) return payload.authorization;
  throw new Error('the offer asks for another payment than an authorization of EIP-3009. None was sent.');
}

function reasonOf({ message, cause }: Error, { url, client }: Order): string {
  const { code } = (cause ?? {}) as { code?: string };
  if (code === 'ECONNREFUSED')
    return `Nobody answers at ${url}. Start the service with "npm start", or name another with --url.`;
  return `The ${client} client could not pay at ${url}: ${code ?? message}`;
}

/** Wraps a fetch so that it answers a 402 with a payment, by the library as anybody would use it. Loads only the one asked for. */
async function payingFetch({ client, privateKey }: Order, fetch: Fetch): Promise<Fetch> {
  const account = privateKeyToAccount(privateKey);
  if (client === 'v2') return versionTwo(account, fetch);
  if (client === 'v1') return versionOne(account, fetch);
  const [{ wrapFetchWithPayment, x402Client }, { ExactEvmScheme }] = await Promise.all([
    import('@x402/fetch'),
    import('@x402/evm'),
  ]);
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)));
}

/** `x402-fetch` brings so many packages that they are fetched when it first pays. */
async function versionOne(account: PrivateKeyAccount, fetch: Fetch): Promise<Fetch> {
  const packages = await fetchedPackages('tools/agent/packages');
  const { wrapFetchWithPayment } = createRequire(join(packages, 'package.json'))('x402-fetch') as {
    wrapFetchWithPayment: (fetch: Fetch, account: PrivateKeyAccount) => Fetch;
  };
  const pay = wrapFetchWithPayment(fetch, account);
  // This library repeats address and options, and cannot repeat a request whose body was sent.
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, headers } = request;
    return pay(request.url, { method, headers: Object.fromEntries(headers), body: await request.text() });
  };
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
  const encoded = headers.get('PAYMENT-RESPONSE') ?? headers.get('X-PAYMENT-RESPONSE') ?? '';
  const receipt = parsed(Buffer.from(encoded, 'base64').toString());
  return typeof receipt === 'object' ? (receipt as Receipt) : undefined;
}
