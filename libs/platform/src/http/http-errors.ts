import { DomainError } from '@evenkeel/kernel';

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
  constructor(readonly allowed: readonly string[]) {
    super(`This address answers ${allowed.join(', ')}.`);
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
    override readonly details: { scope: string; limit?: number; window_seconds?: number; charged?: false },
    override readonly retryAfterSeconds = 1,
    /** Go out with the answer: how the limit stands. */
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
