import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ALL_CALLS } from '../calls/all-calls';
import { type Handler, Refusal } from '../calls/call';
import type { Page } from '../pages/html';
import type { Answer, Api } from './api';

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

  const call = (route: string | null, handler: Handler) => (request: FastifyRequest, reply: FastifyReply) =>
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
    server.post('/control', async ({ body }, reply) => {
      try {
        return { done: true, result: (await control(JSON.parse(body as string))) ?? null };
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

const UNKNOWN: Handler = {
  reads: [],
  answer: () => {
    const message = 'Unrecognized request URL. The development Stripe knows the calls of its README.';
    throw new Refusal(404, { type: 'invalid_request_error', message });
  },
};

export const API_MODES = ['down', 'slow', 'hang', 'error500', 'rate_limited', 'lost_answer'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** How long a slow answer takes by default. */
const SLOW_MS = 1_000;

/** Faults between the API and its callers. */
export class ApiFaults {
  private mode: ApiMode | null = null;
  private left = 0;
  private ms = SLOW_MS;

  set(mode: ApiMode | null, count = Infinity, ms = SLOW_MS): void {
    this.mode = mode;
    this.left = count;
    this.ms = ms;
  }

  /** Answers through the fault that is on. @param work does what was asked */
  async around(reply: FastifyReply, work: () => Answer): Promise<FastifyReply> {
    const mode = this.left > 0 ? this.mode : null;
    this.left -= 1;
    if (mode === 'error500') {
      return reply.code(500).send({ error: { type: 'api_error', message: 'An unknown error occurred.' } });
    }
    if (mode === 'rate_limited') {
      const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' };
      return reply.code(429).header('retry-after', '1').send({ error });
    }
    if (mode === 'down' || mode === 'hang' || mode === 'lost_answer') {
      if (mode === 'lost_answer') work();
      reply.hijack();
      if (mode !== 'hang') reply.raw.socket?.resetAndDestroy();
      return reply;
    }
    if (mode === 'slow') await sleep(this.ms, undefined, { ref: false });
    const { status, body, headers } = work();
    return reply.code(status).headers(headers).send(body);
  }
}
