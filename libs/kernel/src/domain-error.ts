/** The kind of a failure, without HTTP: `platform/http` has the one table from kind to status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'payment_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'uri_too_long'
  | 'headers_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'not_configured'
  | 'upstream_unavailable'
  | 'unavailable';

/** An answer that a caller can act on. `code` is stable and never renamed; `message` and `details` are shown to the caller. */
export abstract class DomainError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds for `Retry-After`, where repeating later helps. */
  readonly retryAfterSeconds?: number;
}
