import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import { PREFLIGHT } from './cors';
import { MethodNotAllowed, NotFound } from './http-errors';
import type { ResponsePolicy } from './response-policy';
import { tameContentType } from './raw-body';
import { pathOf } from './request-path';
import { sendError } from './send-error';

/**
 * Sets the headers every answer has, also those that never see a handler, and answers preflights. A handler may set another
 * `Cache-Control`.
 */
export class FrontDoor {
  constructor(private readonly policy: Pick<ResponsePolicy, 'cors'>) {}

  /** @returns true when the request has its answer */
  answers(request: FastifyRequest, reply: FastifyReply, path: string): boolean {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.headers(this.policy.cors.headersFor(path, request.headers.origin));
    if (request.method !== 'OPTIONS') return false;
    reply.code(204).headers(PREFLIGHT).send();
    return true;
  }
}

/**
 * The only hook before the handlers: headers, preflights, and addresses or methods that do not exist. It answers those
 * before a body is read.
 */
export function onRequest(policy: ResponsePolicy, allowed: AllowedMethods) {
  const frontDoor = new FrontDoor(policy);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const path = pathOf(request.url);
    if (frontDoor.answers(request, reply, path)) return;
    if (request.is404) {
      const methods = allowed.at(path);
      sendError(request, reply, methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound(), policy.options);
      return;
    }
    tameContentType(request);
    done();
  };
}

/** An address that cannot be decoded is refused by the router, before any hook, and counted here. */
export function onUnroutable(policy: ResponsePolicy) {
  const frontDoor = new FrontDoor(policy);
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!frontDoor.answers(request, reply, pathOf(request.url))) sendError(request, reply, error, policy.options);
    policy.requests.route().add(request.method, reply.statusCode, reply.elapsedTime);
  };
}
