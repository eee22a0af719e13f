import { fastify } from 'fastify';
import type { RequestListener } from 'node:http';
import { OFFER } from './offer';

/** The limit: a bare Fastify that parses JSON and sends it back, for nothing. */
export async function echo(): Promise<RequestListener> {
  const app = fastify();
  app.post(OFFER.path, async (request) => request.body);
  await app.ready();
  return (request, response) => app.routing(request, response);
}
