import { evm } from 'x402/types';
import { CHAINS } from './chains';

describe('CHAINS', () => {
  it.each(CHAINS.map((chain) => [chain.shortName, chain] as const))('%s is what stock clients know', (_, chain) => {
    const known = (evm.config as Record<string, { usdcAddress: string; usdcName: string }>)[chain.chainId];
    expect({ usdcAddress: chain.usdc.address, usdcName: chain.usdc.name }).toEqual(known);
    expect(chain.caip2).toBe(`eip155:${chain.chainId}`);
  });
});
