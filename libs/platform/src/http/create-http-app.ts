import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NestPinoLogger } from '../observability';
import { AllowedMethods } from './allowed-methods';
import { ErrorFilter } from './error-filter';
import type { HttpOptions } from './http-options';
import { onRequest, onUnroutable } from './on-request';
import { deliverRawBodies } from './raw-body';
import { requestIdOf } from './request-id';
import { requestLog } from './request-log';

/**
 * A Nest application on Fastify with the manners that every surface shares: request ids, CORS, security headers, 404
 * and 405, one shape of error, and every body as raw bytes (`request.body` is a Buffer, or undefined without a body).
 * It does not listen: see `runHttp` and `requestHandler`. Nest middleware is not available.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  options: HttpOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: options.maxBodyBytes,
    genReqId: requestIdOf,
    trustProxy: (_address, hop) => hop < (options.trustedProxyHops ?? 0),
    frameworkErrors: onUnroutable(options),
    skipMiddie: true,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowed = new AllowedMethods();
  fastify.addHook('onRoute', (route) => allowed.add(route));
  adapter.setOnRequestHook(onRequest(options, allowed));
  if (options.requestLog ?? true) adapter.setOnResponseHook(logged(options));
  deliverRawBodies(fastify);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestPinoLogger(options.logger),
  });
  app.useGlobalFilters(new ErrorFilter(options));
  return app;
}

function logged({ logger }: HttpOptions) {
  const write = requestLog(logger);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    write(request, reply);
    done();
  };
}
