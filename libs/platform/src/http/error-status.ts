import type { ErrorKind } from '@evenkeel/kernel';

/** The one table from what went wrong to the HTTP status. */
export const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  payment_required: 402,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  not_configured: 501,
  upstream_unavailable: 502,
  unavailable: 503,
};
