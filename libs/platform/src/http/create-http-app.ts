import 'reflect-metadata';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { NestPinoLogger } from '../observability';
import { PREFLIGHTS, setAnswerHeaders } from './answer-headers';
import { answerInTime } from './answer-in-time';
import { ErrorFilter } from './error-answer';
import type { HttpOptions } from './http-options';
import { LargeBodies } from './large-bodies';
import { MAX_HEADER_BYTES } from './http-errors';
import type { RequestHandler } from './http-server';
import { AllowedMethods, onRequest, routedUrl } from './on-request';
import { requestIdOf } from './request';
import { RequestRecords } from './request-records';
import { traceRoutes } from './request-traces';

/**
 * Another cap on the body of one route, in bytes, an integer from 1. A body over it is answered with 413, which names the cap.
 * It replaces a `@RouteConfig` of the same handler.
 */
export const MaxBodyBytes = (maxBodyBytes: number): MethodDecorator => RouteConfig({ maxBodyBytes });

/** Other CORS terms of one route than those of its application. It replaces a `@RouteConfig` of the same handler. */
export const CorsTerms = (cors: FastifyCorsOptions): MethodDecorator => RouteConfig({ cors });

/**
 * A Nest application on Fastify with the policy that every surface shares: request ids, CORS, security headers, 404
 * and 405, one shape of error, and every body as raw bytes (`request.body` is a Buffer, or undefined without a body).
 * It does not listen: see `runHttp` and `requestHandler`. Nest middleware is not available.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  options: HttpOptions,
): Promise<NestFastifyApplication> {
  const records = new RequestRecords(options);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: options.maxBodyBytes,
    genReqId: requestIdOf,
    skipMiddie: true,
    rewriteUrl: routedUrl,
    // Longer parts are refused by ourselves, since the router's own refusal would have no headers.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowed = new AllowedMethods();
  fastify.decorate('requestRecords', records);
  fastify.decorateRequest('aboutFailure');
  const largeBodies = new LargeBodies(options.trustedProxyHops ?? 0);
  fastify.addHook('onRoute', (route) => {
    allowed.add(route);
    setBodyCap(route, largeBodies);
  });
  await setAnswerHeaders(fastify, options);
  fastify.addHook('onRequest', onRequest(options, allowed));
  fastify.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    const answered = { status: reply.statusCode, requestId: request.id, durationMs: reply.elapsedTime };
    records.add(request.raw, url === PREFLIGHTS ? undefined : url, answered);
    done();
  });
  traceRoutes(fastify);
  // Every body reaches the handler as the bytes that came, whatever type it claims to be.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  answerInTime(fastify, options);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestPinoLogger(options.logger),
  });
  app.useGlobalFilters(new ErrorFilter(options));
  const framework: RequestHandler = (request, response) => fastify.routing(request, response);
  fastify.decorate('handle', options.takeEarly?.(app, { framework, options, records }) ?? framework);
  return app;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Takes every request to the application: by an early handler where there is one, else by the routes. */
    handle: RequestHandler;
  }
}

function setBodyCap(route: RouteOptions, largeBodies: LargeBodies): void {
  const { maxBodyBytes } = (route.config ?? {}) as { maxBodyBytes?: number };
  if (maxBodyBytes === undefined) return;
  route.bodyLimit = maxBodyBytes;
  route.preParsing = largeBodies.hook(maxBodyBytes);
}
