import { createParamDecorator, type ArgumentMetadata, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Class } from '@evenkeel/contracts';
import type { FastifyRequest } from 'fastify';
import { assertJsonContentType, inflateBody } from './body-encoding';
import { parseJson } from './parse-json';
import { validate } from './validate';
import { ValidationFailed } from './validation-issue';

const DEFAULT_MAX_BYTES = 131_072;
const NO_BYTES = Buffer.alloc(0);

/** A body as it came, with the headers that say how to read it. */
export interface RawBody {
  bytes: Buffer | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
}

/** The JSON body of a request as an instance of the parameter's class: `@JsonBody() body: StartTopUpBody`. */
export function JsonBody(pipe = new StrictValidationPipe()): ParameterDecorator {
  return FromRequest(pipe);
}

const FromRequest = createParamDecorator((_data: unknown, context: ExecutionContext): RawBody => {
  const { body, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return {
    bytes: body as Buffer | undefined,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
  };
});

/**
 * From raw bytes to a checked body, for Nest routes that are not on the hot path. Takes the place of ValidationPipe, which
 * lets lists of lists, names every object has, `null` for optional fields and NUL pass.
 */
export class StrictValidationPipe implements PipeTransform<RawBody> {
  private readonly maxBytes: number;

  /** @param options maxBytes: cap after inflation, 131,072 unless given */
  constructor({ maxBytes = DEFAULT_MAX_BYTES }: { maxBytes?: number } = {}) {
    this.maxBytes = maxBytes;
  }

  /** @throws UnsupportedMediaType, PayloadTooLarge, MalformedJson, ValidationFailed */
  transform({ bytes = NO_BYTES, contentType, contentEncoding }: RawBody, { metatype }: ArgumentMetadata): object {
    if (!metatype || metatype === Object) throw new TypeError('a JSON body needs a class that says what it holds');
    assertJsonContentType(contentType);
    const body = parseJson(inflateBody(bytes, contentEncoding, this.maxBytes));
    const { issues, instance } = validate(metatype as Class, body);
    if (!instance) throw new ValidationFailed(issues);
    return instance;
  }
}
