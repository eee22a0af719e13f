import type { IncomingMessage } from 'node:http';
import type { DomainError } from '@evenkeel/kernel';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { sendError } from './error-answer';
import { MalformedRequest, MAX_ADDRESS_BYTES, MethodNotAllowed, NotFound, UriTooLong } from './http-errors';
import type { HttpOptions } from './http-options';
import { pathOf } from './request';

/** Longest part of an address that Fastify reads; no identifier is longer. */
const MAX_PART_CHARACTERS = 100;

/** Refuses addresses and methods that do not exist before a body is read. */
export function onRequest(options: HttpOptions, allowed: AllowedMethods) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const refusal = refusalOf(request, options, allowed);
    if (refusal) {
      sendError(request, reply, refusal, options);
      return;
    }
    replaceUnparsableType(request);
    done();
  };
}

/** An address with its host, as it is sent to a proxy. */
const ABSOLUTE = /^https?:\/\/[^/?#]+([/?][^#]*)?$/i;

/**
 * The address as it is routed. One that cannot be decoded has its escapes escaped, so that it has a route like every other: it is
 * refused there, or taken as it was sent.
 */
export function routedUrl({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  // No path: the router would answer by itself, without any of our headers.
  if (!url.startsWith('/') && !(ABSOLUTE.test(url) && URL.canParse(url))) return `/${url}`;
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

function refusalOf(request: FastifyRequest, options: HttpOptions, allowed: AllowedMethods): DomainError | undefined {
  const { url, originalUrl } = request;
  if (request.method === 'OPTIONS') return undefined;
  if (originalUrl.length > MAX_ADDRESS_BYTES) return new UriTooLong();
  const path = pathOf(url);
  const isUndecodable = url !== originalUrl && !originalUrl.startsWith('*');
  if (isUndecodable && !options.isTakenRaw?.(path)) return new MalformedRequest('The request is not valid.');
  if (path.split('/').some(({ length }) => length > MAX_PART_CHARACTERS)) return new NotFound();
  if (!request.is404) return undefined;
  const methods = allowed.at(path);
  return methods.length > 0 ? new MethodNotAllowed(methods) : new NotFound();
}

/** Types that Fastify itself can parse. It would refuse others before the handler, which decides about a body. */
const PARSABLE_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Replaces an invalid content type by one that no route accepts. */
function replaceUnparsableType({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json' || PARSABLE_TYPE.test(type)) return;
  headers['content-type'] = 'application/x-malformed';
}

/** Which methods an address answers: for 405, which Fastify answers with 404. `OPTIONS`, which every address answers, is not named. */
export class AllowedMethods {
  private readonly routes: { matcher: RegExp; methods: string[] }[] = [];

  add({ method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
    const source = url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replaceAll('*', '.*');
    const methods = [method].flat().filter((name) => name !== 'OPTIONS');
    this.routes.push({ matcher: new RegExp(`^${source}$`), methods: methods.map((name) => name.toUpperCase()) });
  }

  /** @returns sorted, empty when nothing is there */
  at(path: string): string[] {
    const found = this.routes.filter(({ matcher }) => matcher.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}
