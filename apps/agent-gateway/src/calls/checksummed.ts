import { getAddress } from 'viem';

const MAX_KNOWN = 20_000;
const known = new Map<string, string>();

/** An address as people read it (EIP-55). Remembered: working one out takes a hash, and a paid call names five. */
export function checksummed(address: string): string {
  let text = known.get(address);
  if (text === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    text = getAddress(address);
    known.set(address, text);
  }
  return text;
}
