import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';

const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'analyze')!;
const chain = CHAINS[0]!;

/** What every seller sells, at the same price, in the same words. */
export const OFFER = {
  path: endpoint.path,
  description: endpoint.headerDescription,
  mimeType: 'application/json',
  price: `$${endpoint.priceMicros / 1_000_000}`,
  network: chain.caip2 as `eip155:${string}`,
  networkV1: chain.shortName,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
} as const;
