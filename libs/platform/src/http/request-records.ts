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

/** The requests to one application by route, method and class of status. */
export class RequestCounts {
  private readonly total = new Counter(catalogued('http_requests_total'));
  private readonly seconds = timings('http_request_seconds');

  /** @param template path of the route with its parameters by name */
  add(template: string | undefined, method: string, status: number, durationMs: number): void {
    const known = METHODS.has(method) ? method : 'other';
    const labels = { route: template ?? UNKNOWN, method: known, status: `${Math.floor(status / 100)}xx` };
    this.total.inc(labels);
    this.seconds.observe(labels, durationMs / 1_000);
  }

  exposeIn(registry: Registry): void {
    registry.registerMetric(this.total);
    registry.registerMetric(this.seconds);
  }
}

/** Puts the requests to an application onto the page of a registry. */
export function exposeRequests(app: NestFastifyApplication, registry: Registry): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.requestCounts.exposeIn(registry);
}

declare module 'fastify' {
  interface FastifyInstance {
    requestCounts: RequestCounts;
  }
}

const PATH_MAX = 200;

interface Answered {
  status: number;
  requestId: string;
  durationMs: number;
}

/** Counts an answered request and writes its line. @param route template of its path, undefined where it has none */
export type RecordRequest = (request: IncomingMessage, route: string | undefined, answered: Answered) => void;

export function recordRequest(counts: RequestCounts, options: HttpOptions): RecordRequest {
  const log = requestLog(options);
  return (request, route, answered) => {
    counts.add(route, request.method!, answered.status, answered.durationMs);
    log(request, answered);
  };
}

/** One line per request, written after the answer: no query, no header, no body, and only the caller's network. */
function requestLog({ logger, trustedProxyHops = 0, requestLog: wanted = true }: HttpOptions) {
  if (!wanted) return () => undefined;
  // This line has known fields only, so nothing is redacted; it is on the hot path.
  const lines = logger.child({}, { redact: [] });
  return (request: IncomingMessage, { status, requestId, durationMs }: Answered): void =>
    lines.info(
      {
        method: request.method,
        path: pathOf(request.url!).slice(0, PATH_MAX),
        status,
        durationMs: Math.round(durationMs * 100) / 100,
        requestId,
        network: networkOf(clientAddress(request, trustedProxyHops)),
      },
      'request',
    );
}
