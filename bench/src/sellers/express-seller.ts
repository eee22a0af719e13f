import { analyzeHabits, type HabitsRequest } from '@evenkeel/scoring';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { listenLocally, OFFER } from './offer';

// A process that sells with @x402/express as its README says, and keeps no ledger.
const { path, description, mimeType, price, network, payTo, maxTimeoutSeconds } = OFFER;
const facilitator = new HTTPFacilitatorClient({ url: process.argv[2]! });
const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
const accepts = { scheme: 'exact', price, network, payTo, maxTimeoutSeconds };

const app = express();
app.use(express.json());
app.use(paymentMiddleware({ [`POST ${path}`]: { accepts, description, mimeType } }, server));
app.post(path, (request, response) => response.json(analyzeHabits(request.body as HabitsRequest)));
void listenLocally(app);
