import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { NestPinoLogger } from '../observability';
import { Shortcuts } from './bare-connection';
import { ErrorFilter, sendError } from './error-answer';
import { ServiceUnavailable } from './http-errors';
import type { HttpOptions } from './http-options';
import { AllowedMethods, onRequest, onUnroutable } from './on-request';
import { requestIdOf } from './request';
import { traceRoutes } from './request-traces';
import { responsePolicyOf, type ResponsePolicy } from './response-policy';

/** Nobody waits for more than five seconds: the rest is for the way there and back. */
const ANSWERED_WITHIN_MS = 4_700;

/** Limits of one route in place of those of its service. */
interface RouteLimits {
  /** Cap on its body, an integer from 1. A body over it is answered with 413, which names the cap. */
  maxBodyBytes?: number;
  /** From a whole request to its answer. `Infinity` for work that may take as long as it takes. */
  answerWithinMs?: number;
}

/** Replaces a `@RouteConfig` of the same handler. */
export const RouteLimits = (limits: RouteLimits): MethodDecorator => RouteConfig(limits);

/**
 * A Nest application on Fastify with the policy that every surface shares: request ids, CORS, security headers, 404
 * and 405, one shape of error, and every body as raw bytes (`request.body` is a Buffer, or undefined without a body).
 * It does not listen: see `runHttp` and `requestHandler`. Nest middleware is not available.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  options: HttpOptions,
): Promise<NestFastifyApplication> {
  const policy = responsePolicyOf(options);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: options.maxBodyBytes,
    genReqId: requestIdOf,
    frameworkErrors: onUnroutable(policy),
    skipMiddie: true,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowed = new AllowedMethods();
  fastify.decorate('requestCounts', policy.requests);
  fastify.decorate('shortcuts', new Shortcuts(policy, allowed));
  fastify.addHook('onRoute', (route) => {
    allowed.add(route);
    setBodyCap(route);
  });
  adapter.setOnRequestHook(onRequest(policy, allowed));
  adapter.setOnResponseHook(onResponse(policy));
  traceRoutes(fastify);
  deliverRawBodies(fastify);
  answerInTime(fastify, options);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestPinoLogger(options.logger),
  });
  app.useGlobalFilters(new ErrorFilter(options));
  return app;
}

function setBodyCap(route: RouteOptions): void {
  const { maxBodyBytes } = (route.config ?? {}) as RouteLimits;
  if (maxBodyBytes !== undefined) route.bodyLimit = maxBodyBytes;
}

/**
 * Whatever a handler waits for, its caller does not wait longer: 503, and the handler goes on without them. The time counts from
 * the whole request, and ends where an answer begins.
 */
function answerInTime(fastify: FastifyInstance, options: HttpOptions): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    const route = request.routeOptions.config as RouteLimits;
    const withinMs = route.answerWithinMs ?? options.answerWithinMs ?? ANSWERED_WITHIN_MS;
    if (withinMs !== Infinity) {
      const timer = setTimeout(() => {
        if (reply.sent) return;
        options.logger.warn({ requestId: request.id, withinMs }, 'not answered in time');
        sendError(request, reply, new ServiceUnavailable(), options);
      }, withinMs);
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** Every body reaches the handler as the bytes that came, whatever type it claims to be. */
function deliverRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function onResponse({ log, requests }: ResponsePolicy) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    requests.route(request.routeOptions.url).add(request.method, status, durationMs);
    log(request.raw, { status, requestId: request.id, durationMs });
    done();
  };
}
