import type { Address, Hex } from 'viem';

/** What the payer signs (EIP-3009, TransferWithAuthorization). Times are seconds since 1970, `value` is in atomic units. */
export interface Authorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}
