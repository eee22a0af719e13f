import type { RequestListener } from 'node:http';
import { analyzeHabits, type HabitsRequest } from '@evenkeel/scoring';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express, { type Express } from 'express';
import { fastify } from 'fastify';
import { OFFER } from './offer';

/** The sellers we compare with, by name. */
export const PEERS: Readonly<Record<string, (facilitatorUrl: string) => RequestListener | Promise<RequestListener>>> = {
  '@x402/express': x402ExpressV2,
  'fastify echo': echo,
};

/** The limit: a bare Fastify that parses JSON and sends it back, for nothing. */
async function echo(): Promise<RequestListener> {
  const app = fastify();
  app.post(OFFER.path, async (request) => request.body);
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** A seller made with @x402/express as its README says: version 2 of the protocol, no ledger. */
function x402ExpressV2(facilitatorUrl: string): Express {
  const { path, description, mimeType, price, network, payTo, maxTimeoutSeconds } = OFFER;
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  const accepts = { scheme: 'exact', price, network, payTo, maxTimeoutSeconds };

  const app = express();
  app.use(express.json());
  app.use(paymentMiddleware({ [`POST ${path}`]: { accepts, description, mimeType } }, server));
  app.post(path, (request, response) => response.json(analyzeHabits(request.body as HabitsRequest)));
  return app;
}
