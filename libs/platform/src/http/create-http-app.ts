import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NestPinoLogger } from '../observability';
import { AllowedMethods } from './allowed-methods';
import { ErrorFilter } from './error-filter';
import type { HttpOptions } from './http-options';
import { mannersOf, type Manners } from './manners';
import { onRequest, onUnroutable } from './on-request';
import { deliverRawBodies } from './raw-body';
import { requestIdOf } from './request-id';
import { Shortcuts } from './shortcuts';

/**
 * A Nest application on Fastify with the manners that every surface shares: request ids, CORS, security headers, 404
 * and 405, one shape of error, and every body as raw bytes (`request.body` is a Buffer, or undefined without a body).
 * It does not listen: see `runHttp` and `requestHandler`. Nest middleware is not available.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  options: HttpOptions,
): Promise<NestFastifyApplication> {
  const manners = mannersOf(options);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: options.maxBodyBytes,
    genReqId: requestIdOf,
    frameworkErrors: onUnroutable(manners),
    skipMiddie: true,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowed = new AllowedMethods();
  fastify.decorate('requestCounts', manners.requests);
  fastify.decorate('shortcuts', new Shortcuts(manners, allowed));
  fastify.addHook('onRoute', (route) => allowed.add(route));
  adapter.setOnRequestHook(onRequest(manners, allowed));
  adapter.setOnResponseHook(noted(manners));
  deliverRawBodies(fastify);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestPinoLogger(options.logger),
  });
  app.useGlobalFilters(new ErrorFilter(options));
  return app;
}

function noted({ log, requests }: Manners) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    requests.route(request.routeOptions.url).add(request.method, status, durationMs);
    log(request.raw, { status, requestId: request.id, durationMs });
    done();
  };
}
