import type { RequestListener } from 'node:http';
import { analyzeHabits, type HabitsRequest } from '@evenkeel/scoring';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express, { type Express } from 'express';
import { fastify } from 'fastify';
import { paymentMiddleware as paymentMiddlewareV1 } from 'x402-express';
import { OFFER } from './offer';

/** The sellers we compare with, by name. */
export const PEERS: Readonly<Record<string, (facilitatorUrl: string) => RequestListener | Promise<RequestListener>>> = {
  '@x402/express': x402ExpressV2,
  'x402-express': x402ExpressV1,
  'fastify echo': echo,
};

/** The limit: a bare Fastify that parses JSON and sends it back, for nothing. */
async function echo(): Promise<RequestListener> {
  const app = fastify();
  app.post(OFFER.path, async (request) => request.body);
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** A seller made with x402-express as its README says: version 1 of the protocol, no ledger. */
function x402ExpressV1(facilitatorUrl: string): Express {
  const { path, description, mimeType, price, networkV1: network, payTo, maxTimeoutSeconds } = OFFER;
  const route = { price, network, config: { description, mimeType, maxTimeoutSeconds } };

  const app = express();
  app.use(express.json());
  app.use(paymentMiddlewareV1(payTo, { [`POST ${path}`]: route }, { url: facilitatorUrl as `http://${string}` }));
  app.post(path, (request, response) => response.json(analyzeHabits(request.body as HabitsRequest)));
  return app;
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
