import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckResult, Readiness } from '../resilience/readiness';
import type { MetricsPage } from '../observability';
import type { ErrorShape } from './error-answer';
import { HttpServer } from './http-server';
import { pathOf } from './request';

const JSON_TYPE = 'application/json; charset=utf-8';
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Longer than each check may take. */
const READINESS_LIMIT_MS = 500;

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
    void answerTo(pathOf(request.url!)).then(({ status = 200, type = JSON_TYPE, body }) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }, errorShape);

  async function answerTo(path: string): Promise<{ status?: number; type?: string; body: object | string }> {
    if (path === '/health/live') return { body: { status: 'live' } };
    if (path === '/health/ready' && isDraining()) return { status: 503, body: { status: 'draining' } };
    if (path === '/health/ready') return askReadiness(readiness);
    if (path === '/metrics' && metrics) return { type: METRICS_TYPE, body: await metrics() };
    return { status: 404, body: { error: 'not_found', message: 'There is nothing at this address.' } };
  }
}

interface ReadinessAnswer {
  /** 503 takes the process out of service; one that is degraded still serves. */
  status: 200 | 503;
  body: { status: 'ready' | 'degraded' | 'not_ready'; checks?: Record<string, CheckResult> };
}

/** Checks that fail, or take longer than half a second, are not ready. Never rejects. */
async function askReadiness(readiness: Readiness): Promise<ReadinessAnswer> {
  const late = sleep(READINESS_LIMIT_MS, undefined, { ref: false });
  const checks = await Promise.race([readiness().catch(() => undefined), late]);
  const results = checks && Object.values(checks);
  if (!results || results.includes(false)) return { status: 503, body: { status: 'not_ready', checks } };
  return { status: 200, body: { status: results.includes('degraded') ? 'degraded' : 'ready', checks } };
}
