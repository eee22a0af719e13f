import { payingFetch as versionTwo, type Fetch } from '@evenkeel/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { Hex } from 'viem';

/** Which public client library pays. `v2-only` knows no version 1 schemes, as some agents are set up. */
export const CLIENT_KINDS = ['v1', 'v2', 'v2-only'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** Wraps a fetch so that it answers a 402 with a payment, by the library as anybody would use it. Loads only the one asked for. */
export function payingFetch(kind: ClientKind, privateKey: Hex, fetch: Fetch): Promise<Fetch> {
  if (kind === 'v2') return versionTwo(privateKeyToAccount(privateKey), fetch);
  return kind === 'v1' ? versionOne(privateKey, fetch) : versionTwoOnly(privateKey, fetch);
}

async function versionOne(privateKey: Hex, fetch: Fetch): Promise<Fetch> {
  const { wrapFetchWithPayment } = await import('x402-fetch');
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
