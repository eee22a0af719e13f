import type { PaymentVersion } from '../load/payments';

/** Our own seller among the others. */
export const GATEWAY = 'agent-gateway';
export const WITHOUT_LEDGER = `${GATEWAY} without ledger`;

/** One row of a comparison: a seller, and how it is called. */
export interface Variant {
  name: string;
  seller: string;
  payment: PaymentVersion | null;
  expectedStatus: number;
}

export type Path = 'challenge' | 'paid';

/** What the others are compared with. */
export const REFERENCE = '@x402/express';
export const OURS = GATEWAY;

export const VARIANTS: Readonly<Record<Path, readonly Variant[]>> = {
  challenge: [
    { name: OURS, seller: GATEWAY, payment: null, expectedStatus: 402 },
    { name: REFERENCE, seller: REFERENCE, payment: null, expectedStatus: 402 },
    { name: 'x402-express', seller: 'x402-express', payment: null, expectedStatus: 402 },
    { name: 'fastify echo', seller: 'fastify echo', payment: null, expectedStatus: 200 },
  ],
  // Each seller gets what the stock client of its protocol version sends it; ours takes both.
  paid: [
    { name: OURS, seller: GATEWAY, payment: 2, expectedStatus: 200 },
    { name: `${OURS}, version 1`, seller: GATEWAY, payment: 1, expectedStatus: 200 },
    { name: WITHOUT_LEDGER, seller: WITHOUT_LEDGER, payment: 2, expectedStatus: 200 },
    { name: REFERENCE, seller: REFERENCE, payment: 2, expectedStatus: 200 },
    { name: 'x402-express', seller: 'x402-express', payment: 1, expectedStatus: 200 },
  ],
};
