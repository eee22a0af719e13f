import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { expose, Timings, type Sample } from '../observability';
import { clientAddress, networkOf, pathOf } from './request';
import type { HttpOptions } from './http-options';

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'other'];
const OTHER = METHODS.length - 1;
/** The one template of all addresses without a route: callers invent them. */
const UNKNOWN = 'unknown';

/** The requests to one route, by method and class of status. */
export class RouteCounts {
  private readonly series: (Timings | undefined)[] = [];

  add(method: string, status: number, durationMs: number): void {
    const known = METHODS.indexOf(method);
    const place = (known === -1 ? OTHER : known) * 10 + Math.floor(status / 100);
    (this.series[place] ??= new Timings()).add(durationMs / 1_000);
  }

  /** @param samplesOf of the timings of one method and class */
  samples(route: string, samplesOf: (timings: Timings, labels: Record<string, string>) => Sample[]): Sample[] {
    return this.series.flatMap((timings, place) => {
      const labels = { route, method: METHODS[Math.floor(place / 10)]!, status: `${place % 10}xx` };
      return timings ? samplesOf(timings, labels) : [];
    });
  }
}

/** The requests to one application. Each costs it two additions: most of them pay nothing. */
export class RequestCounts {
  private readonly routes = new Map<string, RouteCounts>();

  /** @param template path of the route with its parameters by name */
  route(template = UNKNOWN): RouteCounts {
    let counts = this.routes.get(template);
    if (!counts) this.routes.set(template, (counts = new RouteCounts()));
    return counts;
  }

  exposeIn(registry: Registry): void {
    const all = (samplesOf: Parameters<RouteCounts['samples']>[1]): Sample[] =>
      [...this.routes].flatMap(([template, counts]) => counts.samples(template, samplesOf));
    expose(registry, 'http_requests_total', () => all(({ count }, labels) => [{ labels, value: count }]));
    expose(registry, 'http_request_seconds', () =>
      all((timings, labels) => timings.samples('http_request_seconds', labels)),
    );
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

export type RequestLog = (request: IncomingMessage, answered: Answered) => void;

/** One line per request, written after the answer: no query, no header, no body, and only the caller's network. */
export function requestLog({ logger, trustedProxyHops = 0, requestLog: wanted = true }: HttpOptions): RequestLog {
  if (!wanted) return () => undefined;
  // This line has known fields only, so nothing is redacted; it is on the hot path.
  const lines = logger.child({}, { redact: [] });
  return (request, { status, requestId, durationMs }) =>
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
