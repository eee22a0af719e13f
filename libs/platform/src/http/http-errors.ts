import { HttpException } from '@nestjs/common';
import { DomainError } from '@evenkeel/kernel';

/** The longest address that is answered: RFC 9110 asks every server to take 8,000 bytes. */
export const MAX_ADDRESS_BYTES = 8_192;
/** Of the request line and all headers together. */
export const MAX_HEADER_BYTES = 16_384;

/** An error whose answer has headers of its own, with names in lower case. */
export interface AnswersWithHeaders extends DomainError {
  readonly headers?: Readonly<Record<string, string>>;
}

export class NotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';
  constructor() {
    super('There is nothing at this address.');
  }
}

export class MethodNotAllowed extends DomainError {
  readonly kind = 'method_not_allowed';
  readonly code = 'method_not_allowed';
  readonly headers: Readonly<Record<string, string>>;
  constructor(allowed: readonly string[]) {
    super(`This address answers ${allowed.join(', ')}.`);
    this.headers = { allow: allowed.join(', ') };
  }
}

/** The request breaks HTTP itself: its line, a header, the length or the encoding of its address. */
export class MalformedRequest extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'validation_failed';
  constructor(message = 'The request is not valid HTTP.') {
    super(message);
  }
}

export class PayloadTooLarge extends DomainError {
  readonly kind = 'too_large';
  readonly code = 'payload_too_large';
  constructor(
    override readonly details: { max_bytes: number },
    what = 'body',
  ) {
    super(`The ${what} is longer than ${details.max_bytes} bytes.`);
  }
}

/** The address, with its query. */
export class UriTooLong extends DomainError {
  readonly kind = 'uri_too_long';
  readonly code = 'uri_too_long';
  override readonly details = { max_bytes: MAX_ADDRESS_BYTES };
  constructor() {
    super(`The address of the request is longer than ${MAX_ADDRESS_BYTES} bytes.`);
  }
}

export class HeadersTooLarge extends DomainError {
  readonly kind = 'headers_too_large';
  readonly code = 'headers_too_large';
  override readonly details = { max_bytes: MAX_HEADER_BYTES };
  constructor() {
    super(`The headers of the request are longer than ${MAX_HEADER_BYTES} bytes together.`);
  }
}

/** No access token, or an invalid one; the header asks for a bearer token (RFC 6750). */
export class Unauthorized extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'unauthorized';
  readonly headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
  constructor() {
    super('The access token is missing or not valid. Sign in again, or refresh it.');
  }
}

export class UnsupportedMediaType extends DomainError {
  readonly kind = 'unsupported_media_type';
  readonly code = 'unsupported_media_type';
  constructor(message = 'The body must be application/json in UTF-8.') {
    super(message);
  }
}

export class RateLimited extends DomainError {
  readonly kind = 'rate_limited';
  readonly code = 'rate_limited';
  constructor(
    /** `scope`: whose limit it is; `limit`: requests in `window_seconds`. A product may add facts of its own. */
    override readonly details: Readonly<{ scope: string; limit?: number; window_seconds?: number }> &
      Readonly<Record<string, unknown>>,
    override readonly retryAfterSeconds = 1,
    /** Sent with the answer: limit, rest and time of the reset. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super('Too many requests. Wait and repeat.');
  }
}

export class ServiceUnavailable extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'service_unavailable';
  constructor(override readonly retryAfterSeconds = 1) {
    super('A part that this address needs is not available. Wait and repeat.');
  }
}

/**
 * Describes in our words what a framework refused; its own messages never reach a caller.
 * @returns undefined for an unknown failure
 */
export function domainErrorOf(error: unknown, maxBodyBytes: number): DomainError | undefined {
  if (error instanceof DomainError) return error;
  switch (statusOf(error)) {
    case 400:
    case 422:
      return new MalformedRequest('The request is not valid.');
    case 404:
    case 414:
      return new NotFound();
    case 413:
      return new PayloadTooLarge({ max_bytes: maxBodyBytes });
    case 415:
      return new UnsupportedMediaType();
    case 429:
      return new RateLimited({ scope: 'address' });
    case 503:
      return new ServiceUnavailable();
    default:
      return isOutage(error) ? new ServiceUnavailable() : undefined;
  }
}

/** SQLSTATE classes and codes: connection, resources, a lock or a statement that took too long, a server that stops. */
const OUTAGE_STATES = /^(08...|53...|55P03|57014|57P0[1-5])$/;
const OUTAGE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN']);
/** Messages of `pg` about its own limits, which have no code. */
const OUTAGE_MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Cannot use a pool after)/;

/** Whether a database or another server was not there, or too slow: what was asked for may work in a moment. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as { code?: unknown; message: string };
  const isStated = typeof code === 'string' && (OUTAGE_STATES.test(code) || OUTAGE_CODES.has(code));
  return isStated || OUTAGE_MESSAGES.test(message);
}

/** Nest's exceptions and Fastify's errors have the status they mean. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error)) return undefined;
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}
