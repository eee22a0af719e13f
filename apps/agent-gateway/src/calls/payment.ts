import { getAddress } from 'viem';
/** The six members that the payer signed (EIP-3009), spelled as they came. */
export interface Authorization {
  from: string;
  to: string;
  /** Atomic units, decimal digits. */
  value: string;
  /** Seconds since 1970, decimal digits. */
  validAfter: string;
  validBefore: string;
  nonce: string;
}

/** A payment header, decoded; nothing in it is believed yet. */
export interface Payment {
  version: 1 | 2;
  scheme: string;
  /** As the buyer spelled it: the receipt answers in the same form. */
  network: string;
  authorization: Authorization;
  signature: string;
  /** Lower case: with the nonce, the identity of the payment. */
  payer: string;
  nonce: string;
  /** What a version 2 buyer says it accepted; absent in version 1. */
  accepted: { asset: unknown; payTo: unknown; amount: unknown } | null;
  /** The buyer's own id (`payment-identifier` extension), 16 to 128 characters. */
  identifier: string | null;
  /** SHA-256, hex, of the whole decoded header in canonical form: tells whether two headers are the same payment. */
  digest: string;
}

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
