import type { FastifyReply, FastifyRequest } from 'fastify';
import { domainErrorOf } from './domain-error-of';
import { asProblem, errorAnswer, forSurface } from './error-body';
import { MethodNotAllowed } from './http-errors';
import type { HttpOptions } from './http-options';
import { pathOf } from './request-path';

const PROBLEM = 'application/problem+json';

/** Answers any error in the documented shape, and records the ones nobody foresaw. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, options: HttpOptions): void {
  const known = domainErrorOf(error, request.routeOptions?.bodyLimit ?? options.maxBodyBytes);
  if (!known) options.logger.error({ err: error, requestId: request.id }, 'request failed');
  if (reply.sent || reply.raw.headersSent) return;

  const answer = errorAnswer(known);
  const body = forSurface(pathOf(request.url), answer);
  reply.code(answer.status).header('cache-control', 'no-store');
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds));
  // Fastify would close on a body it has not read, and the sender meet a reset in place of this answer. Left open, the
  // rest is read and forgotten, for as long as a request may take.
  reply.removeHeader('connection');
  if (known instanceof MethodNotAllowed) reply.header('allow', known.allowed.join(', '));
  if (request.headers.accept?.includes(PROBLEM)) {
    reply.type(PROBLEM).send(JSON.stringify(asProblem(body, answer.status, options.publicBaseUrl)));
  } else {
    reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}
