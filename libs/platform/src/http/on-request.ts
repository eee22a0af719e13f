import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import { CorsPolicy, PREFLIGHT } from './cors';
import { MethodNotAllowed, NotFound } from './http-errors';
import type { HttpOptions } from './http-options';
import { tameContentType } from './raw-body';
import { sendError } from './send-error';

/** On every answer; a handler may set another `Cache-Control`. */
const EVERYWHERE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Path of a request target, without the query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** The headers every answer has, also those that never see a handler. */
export function headersOf(options: HttpOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  const cors = new CorsPolicy(options.corsOrigins ?? []);
  return (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.headers(EVERYWHERE);
    reply.headers(cors.headersFor(request.url, request.headers.origin));
  };
}

/**
 * The only hook before the handlers: headers, preflights, and addresses or methods that do not exist. It answers those
 * before a body is read.
 */
export function onRequest(options: HttpOptions, allowed: AllowedMethods) {
  const setHeaders = headersOf(options);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    setHeaders(request, reply);
    if (request.method === 'OPTIONS') {
      reply.code(204).headers(PREFLIGHT).send();
      return;
    }
    if (request.is404) {
      const methods = allowed.at(pathOf(request.url));
      sendError(request, reply, methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound(), options);
      return;
    }
    tameContentType(request);
    done();
  };
}
