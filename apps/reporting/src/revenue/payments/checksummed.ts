import { getAddress } from 'viem';

/** Enough for the wallets of a busy month; a hash of each of them again would be most of the work of a file. */
const MOST_KEPT = 50_000;

const kept = new Map<string, string>();

/** An address as people read it, computed once for a wallet. */
export function checksummed(address: string): string {
  let text = kept.get(address);
  if (text !== undefined) return text;
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(address, (text = getAddress(address)));
  return text;
}
