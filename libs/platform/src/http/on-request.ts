import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import { PREFLIGHT } from './cors';
import { MethodNotAllowed, NotFound } from './http-errors';
import type { Manners } from './manners';
import { tameContentType } from './raw-body';
import { pathOf } from './request-path';
import { sendError } from './send-error';

/**
 * Sets the headers every answer has, also those that never see a handler, and answers preflights. A handler may set another
 * `Cache-Control`.
 */
export class FrontDoor {
  constructor(private readonly manners: Pick<Manners, 'cors'>) {}

  /** @returns true when the request has its answer */
  answers(request: FastifyRequest, reply: FastifyReply, path: string): boolean {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.headers(this.manners.cors.headersFor(path, request.headers.origin));
    if (request.method !== 'OPTIONS') return false;
    reply.code(204).headers(PREFLIGHT).send();
    return true;
  }
}

/**
 * The only hook before the handlers: headers, preflights, and addresses or methods that do not exist. It answers those
 * before a body is read.
 */
export function onRequest(manners: Manners, allowed: AllowedMethods) {
  const frontDoor = new FrontDoor(manners);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const path = pathOf(request.url);
    if (frontDoor.answers(request, reply, path)) return;
    if (request.is404) {
      const methods = allowed.at(path);
      sendError(request, reply, methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound(), manners.options);
      return;
    }
    tameContentType(request);
    done();
  };
}

/** An address that cannot be decoded is refused by the router, before any hook, and counted here. */
export function onUnroutable(manners: Manners) {
  const frontDoor = new FrontDoor(manners);
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!frontDoor.answers(request, reply, pathOf(request.url))) sendError(request, reply, error, manners.options);
    manners.requests.route().add(request.method, reply.statusCode, reply.elapsedTime);
  };
}
