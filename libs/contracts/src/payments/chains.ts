export interface Chain {
  chainId: number;
  /** Name in version 2 of x402. */
  caip2: string;
  /** Name in version 1 of x402. */
  shortName: 'base' | 'base-sepolia';
  /** The stablecoin with its EIP-712 domain: a wrong name makes every client pay into a 402. */
  usdc: { address: string; name: string; version: string; decimals: number };
}

export const CHAINS: readonly Chain[] = [
  {
    chainId: 8453,
    caip2: 'eip155:8453',
    shortName: 'base',
    usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2', decimals: 6 },
  },
  {
    chainId: 84532,
    caip2: 'eip155:84532',
    shortName: 'base-sepolia',
    usdc: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2', decimals: 6 },
  },
];
