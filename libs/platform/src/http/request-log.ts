import type { IncomingMessage } from 'node:http';
import { clientAddress, networkOf } from './client-address';
import type { HttpOptions } from './http-options';
import { pathOf } from './request-path';

const PATH_MAX = 200;

export interface Answered {
  status: number;
  requestId: string;
  durationMs: number;
}

export type RequestLog = (request: IncomingMessage, answered: Answered) => void;

/** One line per request, written after the answer: no query, no header, no body, and only the caller's network. */
export function requestLog({ logger, trustedProxyHops = 0, requestLog: wanted = true }: HttpOptions): RequestLog {
  if (!wanted) return () => undefined;
  // This line is made of known fields only: nothing to cut, and it is on the hot path.
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
