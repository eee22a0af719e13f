import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import { CorsPolicy, PREFLIGHT } from './cors';
import { MethodNotAllowed, NotFound } from './http-errors';
import type { HttpOptions } from './http-options';
import { tameContentType } from './raw-body';
import { pathOf } from './request-path';
import { sendError } from './send-error';

/** On every answer; a handler may set another `Cache-Control`. */
const EVERYWHERE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Sets the headers every answer has, also those that never see a handler, and answers preflights. */
export class FrontDoor {
  private readonly cors: CorsPolicy;

  constructor(options: Pick<HttpOptions, 'corsOrigins'>) {
    this.cors = new CorsPolicy(EVERYWHERE, options.corsOrigins ?? []);
  }

  /** @returns true when the request has its answer */
  answers(request: FastifyRequest, reply: FastifyReply, path: string): boolean {
    reply.header('x-request-id', request.id);
    reply.headers(this.cors.headersFor(path, request.headers.origin));
    if (request.method !== 'OPTIONS') return false;
    reply.code(204).headers(PREFLIGHT).send();
    return true;
  }
}

/**
 * The only hook before the handlers: headers, preflights, and addresses or methods that do not exist. It answers those
 * before a body is read.
 */
export function onRequest(options: HttpOptions, allowed: AllowedMethods) {
  const frontDoor = new FrontDoor(options);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const path = pathOf(request.url);
    if (frontDoor.answers(request, reply, path)) return;
    if (request.is404) {
      const methods = allowed.at(path);
      sendError(request, reply, methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound(), options);
      return;
    }
    tameContentType(request);
    done();
  };
}

/** An address that cannot be decoded is refused by the router, before any hook. */
export function onUnroutable(options: HttpOptions) {
  const frontDoor = new FrontDoor(options);
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!frontDoor.answers(request, reply, pathOf(request.url))) sendError(request, reply, error, options);
  };
}
