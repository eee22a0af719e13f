import type { ServerResponse } from 'node:http';
import { askReadiness, type Readiness } from '../resilience/readiness';
import type { MetricsPage } from '../observability';
import type { ErrorShape } from './error-answer';
import { HttpServer } from './http-server';
import { pathOf } from './request';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Internals {
  readiness: Readiness;
  isDraining: () => boolean;
  /** Without it there is no `/metrics`. */
  metrics?: MetricsPage;
  /** Of the answers to what is no HTTP. Default: code and message alone. */
  errorShape?: ErrorShape;
}

/**
 * Health and metrics for the platform the process runs on, off the public surface. `/health/live` asks no other service.
 * `/health/ready` is 503 while draining, when something is missing that the process cannot do without, and when the checks take
 * longer than half a second; it is 200 and `degraded` when something is missing that it can do without.
 */
export function internalServer({ readiness, isDraining, metrics, errorShape }: Internals): HttpServer {
  return new HttpServer((request, response) => {
    const path = pathOf(request.url ?? '/');
    if (path === '/health/live') send(response, 200, { status: 'live' });
    else if (path === '/health/ready') void answerReadiness(response, readiness, isDraining);
    else if (path === '/metrics' && metrics) void answerMetrics(response, metrics);
    else send(response, 404, { error: 'not_found', message: 'There is nothing at this address.' });
  }, errorShape);
}

async function answerReadiness(
  response: ServerResponse,
  readiness: Readiness,
  isDraining: () => boolean,
): Promise<void> {
  if (isDraining()) return send(response, 503, { status: 'draining' });
  const { httpStatus, body } = await askReadiness(readiness);
  send(response, httpStatus, body);
}

async function answerMetrics(response: ServerResponse, metrics: MetricsPage): Promise<void> {
  const page = await metrics();
  response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' });
  response.end(page);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
