import { privateKeyToAccount } from 'viem/accounts';
import type { Hex } from 'viem';

/** Which public client library pays. `v2-only` knows no version 1 schemes, as some agents are set up. */
export const CLIENT_KINDS = ['v1', 'v2', 'v2-only'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export type Fetch = typeof globalThis.fetch;

/** Wraps a fetch so that it answers a 402 with a payment, by the library as anybody would use it. Loads only the one asked for. */
export function payingFetch(
  kind: ClientKind,
  privateKey: Hex,
  fetch: Fetch,
): Promise<(url: string, init: RequestInit) => Promise<Response>> {
  return kind === 'v1' ? versionOne(privateKey, fetch) : versionTwo(kind, privateKey, fetch);
}

async function versionOne(privateKey: Hex, fetch: Fetch) {
  const { wrapFetchWithPayment } = await import('x402-fetch');
  return wrapFetchWithPayment(fetch, privateKeyToAccount(privateKey));
}

async function versionTwo(kind: 'v2' | 'v2-only', privateKey: Hex, fetch: Fetch) {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch');
  const account = privateKeyToAccount(privateKey);
  if (kind === 'v2') {
    const { registerExactEvmScheme } = await import('@x402/evm/exact/client');
    return wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer: account }));
  }
  const { ExactEvmScheme } = await import('@x402/evm');
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)));
}
