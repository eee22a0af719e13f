import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';

const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'analyze')!;

/** The call that every seller sells, at the same price, in the same words. */
export const OFFER = {
  path: endpoint.path,
  description: endpoint.headerDescription,
  mimeType: 'application/json',
  price: `$${endpoint.priceMicros / 1_000_000}`,
  network: CHAINS[0]!.caip2 as `eip155:${string}`,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
} as const;
