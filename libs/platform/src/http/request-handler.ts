import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes an application ready to answer without a listener of its own, so that one listener can serve several. */
export async function requestHandler(app: NestFastifyApplication): Promise<RequestHandler> {
  await app.init();
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  await fastify.ready();
  return (request, response) => {
    if (!fastify.shortcuts.answer(request, response)) fastify.routing(request, response);
  };
}
