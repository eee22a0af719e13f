import type { LocalAccount } from 'viem/accounts';

export type Fetch = typeof globalThis.fetch;

/**
 * A fetch that answers a 402 with a payment (x402, exact, on EVM chains) and repeats the request once.
 * @param account signs the payments: what it holds can be spent
 */
export async function payingFetch(account: LocalAccount, fetch: Fetch = globalThis.fetch): Promise<Fetch> {
  const [{ wrapFetchWithPayment, x402Client }, { registerExactEvmScheme }] = await Promise.all([
    import('@x402/fetch'),
    import('@x402/evm/exact/client'),
  ]);
  return wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer: account }));
}
