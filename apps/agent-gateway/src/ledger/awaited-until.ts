import { MAX_SECONDS_LONGER } from '../config/payment-terms';

/** Ten minutes past its end no transaction can include the authorization any more, whatever the clocks say. */
export const EXPIRED_FOR_GOOD_MS = 10 * 60_000;

interface Times {
  createdAt: Date;
  validBefore: Date;
}

/**
 * Until when we wait for an authorization to be used: until it expires, but of one that is valid for centuries, which
 * earlier versions accepted, no longer than of any other.
 * @param maxTimeoutSeconds for which we ask
 */
export function awaitedUntil({ createdAt, validBefore }: Times, maxTimeoutSeconds: number): Date {
  const longest = createdAt.getTime() + (maxTimeoutSeconds + MAX_SECONDS_LONGER) * 1_000;
  return new Date(Math.min(validBefore.getTime(), longest));
}
