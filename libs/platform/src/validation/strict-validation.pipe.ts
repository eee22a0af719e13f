import { createParamDecorator, type ArgumentMetadata, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Class } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import type { FastifyRequest } from 'fastify';
import { assertJsonContentType, inflateBody } from './body-encoding';
import { explain } from './explain';
import { parseJson, parseParts } from './parse-json';
import { ValidationFailed } from './validation-issue';

const DEFAULT_MAX_BYTES = 131_072;
const NO_BYTES = Buffer.alloc(0);

/** A body as it came, with the headers that say how to read it. */
interface RawBody {
  bytes: Buffer | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
}

/** The JSON body of a request as an instance of the parameter's class: `@JsonBody() body: StartTopUpBody`. */
export function JsonBody(pipe: PipeTransform<RawBody> = new StrictValidationPipe()): ParameterDecorator {
  return FromRequest(pipe);
}

/**
 * The JSON value of a body that is checked by the route itself, part by part: `expectSafe` too.
 * @param limits maxBytes: cap after inflation; maxNodes: values of all kinds
 * @throws UnsupportedMediaType, PayloadTooLarge, MalformedJson
 */
export function RawJson(limits: BodyLimits): ParameterDecorator {
  return FromRequest({ transform: (body: RawBody) => parseParts(jsonBytes(body, limits.maxBytes), limits.maxNodes) });
}

interface BodyLimits {
  maxBytes?: number;
  maxNodes?: number;
}

function jsonBytes({ bytes = NO_BYTES, contentType, contentEncoding }: RawBody, maxBytes = DEFAULT_MAX_BYTES): Buffer {
  assertJsonContentType(contentType);
  return inflateBody(bytes, contentEncoding, maxBytes);
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
  /** @param options emptyIs: what a request without a body means, unless it is refused */
  constructor(private readonly options: { emptyIs?: object } = {}) {}

  /** @throws UnsupportedMediaType, PayloadTooLarge, MalformedJson, ValidationFailed */
  transform(raw: RawBody, { metatype }: ArgumentMetadata): object {
    if (!metatype || metatype === Object) throw new TypeError('a JSON body needs a class that says what it holds');
    const { emptyIs } = this.options;
    const isEmpty = !raw.bytes?.length && emptyIs !== undefined;
    const body = isEmpty ? emptyIs : parseJson(jsonBytes(raw));
    const issues = explain(metatype as Class, body);
    if (issues.length > 0) throw new ValidationFailed(issues);
    return plainToInstance(metatype as Class, body);
  }
}
