import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { beginRequest, inSpan, isTracing, type TraceSpan } from '../observability';

/**
 * The span of a request, which ends with its answer or with its connection; null for the many that are not traced.
 * @param route template of its path
 */
function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
  requestId: string,
): TraceSpan | null {
  if (!isTracing()) return null;
  const method = request.method!;
  const span = beginRequest(`${method} ${route}`, request.headers['traceparent'], {
    'http.request.method': method,
    'http.route': route,
    'evenkeel.request_id': requestId,
  });
  if (!span) return null;
  response.once('close', () => {
    const { statusCode, writableFinished } = response;
    span.end({ 'http.response.status_code': statusCode }, statusCode >= 500 || !writableFinished);
  });
  return span;
}

/** Where there are traces at all: requests to the routes of the framework get theirs. Addresses without a route get none. */
export function traceRoutes(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<IncomingMessage, TraceSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const span = traceRequest(request.raw, reply.raw, request.routeOptions.url!, request.id);
    if (span) spans.set(request.raw, span);
    done();
  });
  // Not before: the body is read in the context of the connection.
  fastify.addHook('preHandler', (request, _reply, done) => inSpan(spans.get(request.raw), done));
}
