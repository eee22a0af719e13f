import type { DomainError } from '@evenkeel/kernel';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { sendError } from './error-answer';
import { MAX_ADDRESS_BYTES, MethodNotAllowed, NotFound, UriTooLong } from './http-errors';
import { pathOf } from './request';
import type { ResponsePolicy } from './response-policy';

/**
 * The only hook before the handlers: headers of every answer, preflights, and addresses or methods that do not exist. It
 * answers those before a body is read.
 */
export function onRequest(policy: ResponsePolicy, allowed: AllowedMethods) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const path = pathOf(request.url);
    setHeaders(policy, request, reply, path);
    if (request.method === 'OPTIONS') {
      preparePreflight(policy, reply);
      // A route of its own may refuse it.
      if (request.is404) void reply.send();
      else done();
      return;
    }
    const refusal = refusalOf(request, path, allowed);
    if (refusal) {
      sendError(request, reply, refusal, policy.options);
      return;
    }
    replaceUnparsableType(request);
    done();
  };
}

/** An address that cannot be decoded is refused by the router, before any hook, and counted here. */
export function onUnroutable(policy: ResponsePolicy) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    setHeaders(policy, request, reply, pathOf(request.url));
    if (request.method === 'OPTIONS') preparePreflight(policy, reply).send();
    else sendError(request, reply, error, policy.options);
    policy.requests.route().add(request.method, reply.statusCode, reply.elapsedTime);
  };
}

/** The headers of every answer, also of those that no handler gives. A handler may set another `Cache-Control`. */
function setHeaders({ cors }: ResponsePolicy, request: FastifyRequest, reply: FastifyReply, path: string): void {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  reply.headers(cors.headersFor(path, request.headers.origin));
}

function preparePreflight({ cors }: ResponsePolicy, reply: FastifyReply): FastifyReply {
  return reply.code(204).headers(cors.preflight);
}

function refusalOf(request: FastifyRequest, path: string, allowed: AllowedMethods): DomainError | undefined {
  if (request.url.length > MAX_ADDRESS_BYTES) return new UriTooLong();
  if (!request.is404) return undefined;
  const methods = allowed.at(path);
  return methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound();
}

/** What Fastify itself can parse. Others it would refuse before the handler, which decides what a body is worth. */
const PARSABLE_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Replaces an invalid content type by one that no route accepts. */
function replaceUnparsableType({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json' || PARSABLE_TYPE.test(type)) return;
  headers['content-type'] = 'application/x-malformed';
}

/** Which methods an address answers: for 405, which Fastify answers with 404. `OPTIONS`, which every address answers, is not named. */
export class AllowedMethods {
  private readonly fixed = new Map<string, Set<string>>();
  private readonly patterns = new Map<string, { matcher: RegExp; methods: Set<string> }>();

  add({ method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
    for (const name of [method].flat()) if (name !== 'OPTIONS') this.methodsFor(url).add(name.toUpperCase());
  }

  /** @returns sorted, empty when nothing is there */
  at(path: string): string[] {
    const methods = new Set(this.fixed.get(path));
    for (const pattern of this.patterns.values()) {
      if (pattern.matcher.test(path)) for (const method of pattern.methods) methods.add(method);
    }
    return [...methods].sort();
  }

  private methodsFor(url: string): Set<string> {
    if (!/[:*]/.test(url)) return getOrAdd(this.fixed, url, () => new Set<string>());
    return getOrAdd(this.patterns, url, () => ({ matcher: matcherOf(url), methods: new Set<string>() })).methods;
  }
}

function matcherOf(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
