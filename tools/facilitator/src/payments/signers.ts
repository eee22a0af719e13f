import { hexToBigInt, recoverTypedDataAddress, size, slice, type Address, type Hex } from 'viem';
import type { Authorization } from '../chain/token';

export interface TokenDomain {
  name: string;
  version: string;
  chainId: number;
  verifyingContract: Address;
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Half the order of secp256k1: the token refuses a greater `s`, so that each signature has one form. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const MAX_REMEMBERED = 5_000;

/** Tells who signed an authorization of one token. Recovery costs milliseconds and settle follows verify, so answers are remembered. */
export class Signers {
  private readonly remembered = new Map<string, Promise<Address | null>>();

  /** @returns null when the signature is no signature of a plain account */
  signerOf(authorization: Authorization, signature: Hex, domain: TokenDomain): Promise<Address | null> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const key = [signature, from, to, value, validAfter, validBefore, nonce, domain.name, domain.version].join();
    const known = this.remembered.get(key);
    if (known) return known;

    const signer = recover(authorization, signature, domain);
    this.remembered.set(key, signer);
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MAX_REMEMBERED) this.remembered.delete(oldest!);
    return signer;
  }
}

async function recover(message: Authorization, signature: Hex, domain: TokenDomain): Promise<Address | null> {
  if (size(signature) !== 65 || hexToBigInt(slice(signature, 32, 64)) > MAX_S) return null;
  try {
    return await recoverTypedDataAddress({
      domain,
      types,
      primaryType: 'TransferWithAuthorization',
      message,
      signature,
    });
  } catch {
    return null;
  }
}
