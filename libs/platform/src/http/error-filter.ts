import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpOptions } from './http-options';
import { sendError } from './send-error';

/** The one place where errors of features, of Nest and of Fastify become answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly options: HttpOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error, this.options);
  }
}
