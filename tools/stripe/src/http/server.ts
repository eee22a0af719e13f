import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ALL_CALLS } from '../calls/all-calls';
import type { Page } from '../pages/html';
import type { Api } from './api';
import type { ApiFaults } from './faults';
import { Refusal } from './refusal';

/** The handlers of requests. */
export interface Served {
  api: Api;
  faults: ApiFaults;
  /** Makes happen what has fallen due. */
  catchUp: () => void;
  /** @param form what was sent with POST, else null */
  page: (path: string, form: URLSearchParams | null) => Promise<Page>;
  /** Follows a command; undefined when that is not open. */
  control: ((command: unknown) => Promise<unknown>) | undefined;
}

/** Answers the API under `/v1`, the control, and the hosted pages everywhere else. */
export function stripeServer({ api, faults, catchUp, page, control }: Served): FastifyInstance {
  // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
  const server = fastify({ keepAliveTimeout: 65_000, forceCloseConnections: true, exposeHeadRoutes: false });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) console.error(error);
    const failed = { type: 'api_error', message: `The development Stripe failed: ${error.message}` };
    return reply.code(error.statusCode ?? 500).send({ error: failed });
  });

  const call =
    (route: string | null, handler: (typeof ALL_CALLS)[string]) =>
    async (request: FastifyRequest, reply: FastifyReply) =>
      faults.around(reply, () => {
        catchUp();
        return api.answer(route, handler, request);
      });
  for (const [route, handler] of Object.entries(ALL_CALLS)) {
    const [method, url] = route.split(' ') as [string, string];
    server.route({ method, url, handler: call(route, handler) });
  }
  server.all('/v1/*', call(null, UNKNOWN));

  if (control) {
    server.post('/control', async (request, reply) => {
      try {
        return { done: true, result: (await control(JSON.parse(request.body as string))) ?? null };
      } catch (error) {
        return reply.code(400).send({ error: 'bad_command', message: (error as Error).message });
      }
    });
  }
  server.setNotFoundHandler(async ({ method, url, body }, reply) => {
    catchUp();
    const form = method === 'POST' ? new URLSearchParams((body as string | null) ?? '') : null;
    const shown = await page(url.split('?')[0]!, form);
    if ('redirect' in shown) return reply.redirect(shown.redirect, 303);
    return reply.code(shown.status).type('text/html; charset=utf-8').send(shown.html);
  });
  return server;
}

const UNKNOWN: (typeof ALL_CALLS)[string] = {
  reads: [],
  answer: () => {
    const message = 'Unrecognized request URL. The development Stripe knows the calls of its README.';
    throw new Refusal(404, { type: 'invalid_request_error', message });
  },
};
