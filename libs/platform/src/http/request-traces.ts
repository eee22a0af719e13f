import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { beginRequest, inSpan, isTracing, type TraceSpan } from '../observability';

/**
 * Where there are traces at all: requests to the routes of the framework get a span, named after the template of their path, which
 * ends with their answer or with their connection. Addresses without a route get none.
 */
export function traceRoutes(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<IncomingMessage, TraceSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions, raw, id, headers } = request;
    const span = beginRequest(`${method} ${routeOptions.url}`, headers['traceparent'], {
      'http.request.method': method,
      'http.route': routeOptions.url!,
      'evenkeel.request_id': id,
    });
    if (span) {
      spans.set(raw, span);
      reply.raw.once('close', () => {
        const { statusCode, writableFinished } = reply.raw;
        span.end({ 'http.response.status_code': statusCode }, statusCode >= 500 || !writableFinished);
      });
    }
    done();
  });
  // Not before: the body is read in the context of the connection.
  fastify.addHook('preHandler', (request, _reply, done) => inSpan(spans.get(request.raw), done));
}
