import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What Fastify itself can parse. Others it would refuse before the handler, which decides what a body is worth. */
const PARSABLE_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Every body reaches the handler as the bytes that came, whatever type it claims to be. */
export function deliverRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Replaces a content type that is none by one that nobody accepts. */
export function tameContentType({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json' || PARSABLE_TYPE.test(type)) return;
  headers['content-type'] = 'application/x-malformed';
}
