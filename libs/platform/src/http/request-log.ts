import type { IncomingMessage } from 'node:http';
import type { Logger } from '../observability';
import { clientAddress, networkOf } from './client-address';
import type { HttpOptions } from './http-options';
import { pathOf } from './request-path';

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

const LINES_EVERY_MS = 10_000;

/** Counts answers that are too many and too cheap for a line each: one line per path and status every ten seconds. */
export class CountedAnswers {
  /** Few: a search takes no longer than the making of a key. */
  private counts: { path: string; status: number; count: number }[] = [];

  constructor(private readonly logger: Logger) {}

  add(path: string, status: number): void {
    const known = this.counts.find((one) => one.status === status && one.path === path);
    if (known) {
      known.count++;
      return;
    }
    if (this.counts.length === 0) setTimeout(() => this.writeLines(), LINES_EVERY_MS).unref();
    this.counts.push({ path, status, count: 1 });
  }

  private writeLines(): void {
    for (const answers of this.counts) this.logger.info(answers, 'requests');
    this.counts = [];
  }
}
