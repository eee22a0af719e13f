import type { Chain } from '@evenkeel/contracts';

/** Recipient, token and chain: what every offer has in common. A class, so that it is its own injection token. */
export class PaymentTerms {
  baseUrl!: string;
  chain!: Chain;
  /** Checksummed: one client compares the asset by exact string. */
  asset!: string;
  /** EIP-712 domain of the token; a wrong one makes every client pay into a 402. */
  assetName!: string;
  assetVersion!: string;
  payTo!: string;
  maxTimeoutSeconds!: number;
  /** Which name of the chain the 402 body has (D-24). */
  bodyNetwork!: 'short' | 'caip2';
}
