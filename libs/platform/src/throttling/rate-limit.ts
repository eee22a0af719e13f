import type { Rate } from '../config';
import { RateLimited } from '../http';
import type { LimitStatus, RateWindows } from './rate-windows';

interface RateLimitTerms {
  /** As `RateLimit-Policy` calls it. */
  policy: string;
  /** Who is limited, as the body of a 429 says it: `address`, `user` … */
  scope: string;
  rate: Rate;
}

type Usage = Pick<LimitStatus, 'used' | 'resetMs'>;

/** The state of one limit in answers: headers, and the 429. */
export class LimitAnswers {
  private readonly quotedName: string;
  /** The limit alone, without the hits of any caller. */
  readonly policyHeader: Readonly<Record<'ratelimit-policy', string>>;

  constructor(readonly terms: RateLimitTerms) {
    const { limit, windowSeconds } = terms.rate;
    this.quotedName = `"${terms.policy}"`;
    this.policyHeader = { 'ratelimit-policy': `${this.quotedName};q=${limit};w=${windowSeconds}` };
  }

  /** `RateLimit-Policy` and `RateLimit`, structured fields of the IETF draft. */
  headers(status: Usage): Record<string, string> {
    return { ...this.policyHeader, ratelimit: this.statusHeader(status) };
  }

  /** `RateLimit` alone. */
  statusHeader({ used, resetMs }: Usage): string {
    const remaining = Math.max(0, this.terms.rate.limit - used);
    return `${this.quotedName};r=${remaining};t=${secondsOf(resetMs)}`;
  }

  /** The 429 for a caller over the limit. */
  refusal(status: Usage): RateLimited {
    const { scope, rate } = this.terms;
    const details = { scope, limit: rate.limit, window_seconds: rate.windowSeconds };
    return new RateLimited(details, secondsOf(status.resetMs), this.headers(status));
  }
}

/** One limit, for code that counts by itself; ordinary routes have `RateLimitGuard`. */
export class RateLimit extends LimitAnswers {
  /** @param name limits of one name share their windows; those of other names do not */
  constructor(
    private readonly windows: RateWindows,
    private readonly name: string,
    terms: RateLimitTerms,
  ) {
    super(terms);
  }

  /** Counts a hit of the caller, unless the limit is reached. */
  take(caller: string): Promise<LimitStatus> {
    return this.windows.take(`${this.name}:${caller}`, this.terms.rate);
  }
}

/** Rounded up: a caller who waits so long is not too early. */
function secondsOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1_000));
}
