import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorText } from './error-text';
import type { HttpOptions } from './http-options';

/** Answers any error; one that comes after the answer began is only recorded. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, options: HttpOptions): void {
  const maxBodyBytes = request.routeOptions?.bodyLimit ?? options.maxBodyBytes;
  const { status, headers, text } = errorText(request.raw, request.id, error, { ...options, maxBodyBytes });
  if (reply.sent || reply.raw.headersSent) return;
  // Fastify would close on a body it has not read, and the sender meet a reset in place of this answer. Left open, the
  // rest is read and forgotten, for as long as a request may take. Replaced, since without this header Node would not say
  // either when the connection does close.
  if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
  reply.code(status).headers(headers).send(text);
}
