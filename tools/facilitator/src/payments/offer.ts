import type { Chain } from '@evenkeel/contracts';
import type { Address } from 'viem';

/** The chain a facilitator settles on; each wording has its own name for it. */
export type ChainName = Pick<Chain, 'chainId' | 'caip2' | 'shortName'>;

/** The token it settles in: address and EIP-712 domain belong together. */
export interface Asset {
  address: string;
  name: string;
  version: string;
}

export interface Offer {
  chain: ChainName;
  asset: Asset & { address: Address };
}
