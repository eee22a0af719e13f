import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NestPinoLogger } from '../observability';
import { AllowedMethods } from './allowed-methods';
import { ErrorFilter } from './error-filter';
import type { HttpOptions } from './http-options';
import { responsePolicyOf, type ResponsePolicy } from './response-policy';
import { onRequest, onUnroutable } from './on-request';
import { deliverRawBodies } from './raw-body';
import { requestIdOf } from './request-id';
import { Shortcuts } from './shortcuts';

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
  fastify.addHook('onRoute', (route) => allowed.add(route));
  adapter.setOnRequestHook(onRequest(policy, allowed));
  adapter.setOnResponseHook(noted(policy));
  deliverRawBodies(fastify);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestPinoLogger(options.logger),
  });
  app.useGlobalFilters(new ErrorFilter(options));
  return app;
}

function noted({ log, requests }: ResponsePolicy) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    requests.route(request.routeOptions.url).add(request.method, status, durationMs);
    log(request.raw, { status, requestId: request.id, durationMs });
    done();
  };
}
