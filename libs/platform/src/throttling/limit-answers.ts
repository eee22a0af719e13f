import type { Rate } from '../config';
import { RateLimited } from '../http';
import type { LimitStatus } from './rate-windows.port';

export interface RateLimitTerms {
  /** As `RateLimit-Policy` calls it. */
  policy: string;
  /** Whose limit it is, as the body of a 429 says it. */
  scope: 'address' | 'wallet' | 'user' | 'account' | 'operator';
  rate: Rate;
}

/** What answers say about one limit. */
export class LimitAnswers {
  private readonly quotedName: string;
  /** Without how anybody stands. */
  readonly policyHeader: Readonly<Record<'ratelimit-policy', string>>;

  constructor(readonly terms: RateLimitTerms) {
    const { limit, windowSeconds } = terms.rate;
    this.quotedName = `"${terms.policy}"`;
    this.policyHeader = { 'ratelimit-policy': `${this.quotedName};q=${limit};w=${windowSeconds}` };
  }

  /** `RateLimit-Policy` and `RateLimit`, structured fields of the IETF draft. */
  headers({ used, resetMs }: LimitStatus): Record<string, string> {
    const remaining = Math.max(0, this.terms.rate.limit - used);
    return {
      ...this.policyHeader,
      ratelimit: `${this.quotedName};r=${remaining};t=${secondsOf(resetMs)}`,
    };
  }

  /** The 429 for a caller over the limit. */
  refusal(standing: LimitStatus): RateLimited {
    const { scope, rate } = this.terms;
    const details = { scope, limit: rate.limit, window_seconds: rate.windowSeconds };
    return new RateLimited(details, secondsOf(standing.resetMs), this.headers(standing));
  }
}

/** Rounded up: whoever waits so long is not too early. */
function secondsOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1_000));
}
