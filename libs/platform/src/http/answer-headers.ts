import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpOptions } from './http-options';
import { pathOf } from './request';

/** What a JSON API needs; a page states its own policy with its answer. */
const SECURITY = {
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
  contentSecurityPolicy: false,
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
} as const;

const ALLOWED_HEADERS = ['Content-Type', 'Authorization', 'Idempotency-Key', 'X-Request-Id'];
const EXPOSED_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Allow', 'ETag'];

/** The route by which the plugin takes preflights of all addresses. */
export const PREFLIGHTS = '*';

/** The headers of every answer, also of those that no handler gives, and the answers to preflights. Never with credentials. */
export async function setAnswerHeaders(fastify: FastifyInstance, options: HttpOptions): Promise<void> {
  fastify.addHook('onRequest', (request, reply, done) => {
    // A handler may set another `Cache-Control`.
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    done();
  });
  await fastify.register(helmet, SECURITY);
  const { allowedHeaders = ALLOWED_HEADERS, exposedHeaders = EXPOSED_HEADERS } = options;
  const { isRestricted = () => true, corsOrigins = [] } = options;
  const common = {
    methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
    allowedHeaders: allowedHeaders.join(', '),
    exposedHeaders: exposedHeaders.join(', '),
    maxAge: 600,
    strictPreflight: false,
  };
  await fastify.register(cors, {
    delegator: (request: FastifyRequest, done) =>
      done(null, {
        ...common,
        origin: isRestricted(pathOf(request.url)) ? [...corsOrigins] : '*',
        // A route of its own may refuse it.
        preflightContinue: request.routeOptions.url !== PREFLIGHTS,
      }),
  });
}
