import type { RequestListener } from 'node:http';
import { echo } from './echo';
import { x402ExpressV1 } from './x402-express-v1';
import { x402ExpressV2 } from './x402-express-v2';

/** The sellers we compare with, by name. */
export const PEERS: Readonly<Record<string, (facilitatorUrl: string) => RequestListener | Promise<RequestListener>>> = {
  '@x402/express': x402ExpressV2,
  'x402-express': x402ExpressV1,
  'fastify echo': echo,
};
