import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { catalogued, timings } from '../observability';
import { clientAddress, networkOf, pathOf } from './request';
import type { HttpOptions } from './http-options';

const METHODS = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);
/** The one template of all addresses without a route: callers invent them. */
const UNKNOWN = 'unknown';
const PATH_MAX = 200;

interface Answered {
  status: number;
  requestId: string;
  durationMs: number;
}

/** The requests to one application: counts by route, method and class of status, and a line of the log for each. */
export class RequestRecords {
  private readonly total = new Counter(catalogued('http_requests_total'));
  private readonly seconds = timings('http_request_seconds');
  private readonly logLine: (request: IncomingMessage, answered: Answered) => void;

  constructor({ logger, trustedProxyHops = 0, requestLog = true }: HttpOptions) {
    // This line has known fields only, so nothing is redacted; it is on the hot path.
    const lines = logger.child({}, { redact: [] });
    this.logLine = (request, { status, requestId, durationMs }) => {
      if (!requestLog) return;
      const path = pathOf(request.url!).slice(0, PATH_MAX);
      // No query, no header, no body, and only the caller's network.
      const network = networkOf(clientAddress(request, trustedProxyHops));
      const milliseconds = Math.round(durationMs * 100) / 100;
      lines.info({ method: request.method, path, status, durationMs: milliseconds, requestId, network }, 'request');
    };
  }

  /**
   * After the answer.
   * @param route path of the route with its parameters by name, undefined where there is none
   */
  add(request: IncomingMessage, route: string | undefined, answered: Answered): void {
    const method = METHODS.has(request.method!) ? request.method! : 'other';
    const labels = { route: route ?? UNKNOWN, method, status: `${Math.floor(answered.status / 100)}xx` };
    this.total.inc(labels);
    this.seconds.observe(labels, answered.durationMs / 1_000);
    this.logLine(request, answered);
  }

  exposeIn(registry: Registry): void {
    registry.registerMetric(this.total);
    registry.registerMetric(this.seconds);
  }
}

/** Puts the requests to an application onto the page of a registry. */
export function exposeRequests(app: NestFastifyApplication, registry: Registry): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.requestRecords.exposeIn(registry);
}

declare module 'fastify' {
  interface FastifyInstance {
    requestRecords: RequestRecords;
  }
}
