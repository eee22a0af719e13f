import { ValidationFailed } from './validation-issue';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The form of a key, for documents. */
export const IDEMPOTENCY_KEY_SCHEMA = { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 } as const;

/** @throws ValidationFailed for a value of `Idempotency-Key` that is no key: to ignore it would promise what does not hold */
export function assertIdempotencyKey(key: string): void {
  if (PRINTABLE.test(key)) return;
  const message = 'must have 1 to 255 printable characters of ASCII';
  throw new ValidationFailed([{ path: '/Idempotency-Key', code: 'bad_format', message }]);
}
