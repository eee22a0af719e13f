import { analyzeHabits, type HabitsRequest } from '@evenkeel/scoring';
import express, { type Express } from 'express';
import { paymentMiddleware } from 'x402-express';
import { OFFER } from './offer';

/** A seller made with x402-express as its README says: version 1 of the protocol, no ledger. */
export function x402ExpressV1(facilitatorUrl: string): Express {
  const { path, description, mimeType, price, networkV1: network, payTo, maxTimeoutSeconds } = OFFER;
  const route = { price, network, config: { description, mimeType, maxTimeoutSeconds } };

  const app = express();
  app.use(express.json());
  app.use(paymentMiddleware(payTo, { [`POST ${path}`]: route }, { url: facilitatorUrl as `http://${string}` }));
  app.post(path, (request, response) => response.json(analyzeHabits(request.body as HabitsRequest)));
  return app;
}
