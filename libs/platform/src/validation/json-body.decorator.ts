import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { StrictValidationPipe, type RawBody } from './strict-validation.pipe';

const FromRequest = createParamDecorator((_data: unknown, context: ExecutionContext): RawBody => {
  const { body, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return {
    bytes: body as Buffer | undefined,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
  };
});

/** The JSON body of a request as an instance of the parameter's class: `@JsonBody() body: StartTopUpBody`. */
export function JsonBody(pipe = new StrictValidationPipe()): ParameterDecorator {
  return FromRequest(pipe);
}
