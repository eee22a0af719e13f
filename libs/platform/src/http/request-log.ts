import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../observability';
import { clientAddress, networkOf } from './client-address';
import { pathOf } from './request-path';

const PATH_MAX = 200;

/** One line per request, written after the answer: no query, no header, no body, and only the caller's network. */
export function requestLog(logger: Logger) {
  // This line is made of known fields only: nothing to cut, and it is on the hot path.
  const lines = logger.child({}, { redact: [] });
  return (request: FastifyRequest, reply: FastifyReply): void => {
    lines.info(
      {
        method: request.method,
        path: pathOf(request.url).slice(0, PATH_MAX),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
        requestId: request.id,
        network: networkOf(clientAddress(request)),
      },
      'request',
    );
  };
}
