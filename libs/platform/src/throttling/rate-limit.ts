import { LimitAnswers, type RateLimitTerms } from './limit-answers';
import type { RateWindows, LimitStatus } from './rate-windows.port';

/** One limit of the product, for code that counts by itself; ordinary routes have `RateLimitGuard`. */
export class RateLimit extends LimitAnswers {
  /** @param name keeps its callers apart from those of other limits; limits of one name share their windows */
  constructor(
    private readonly windows: RateWindows,
    private readonly name: string,
    terms: RateLimitTerms,
  ) {
    super(terms);
  }

  /** Counts a hit of the caller, unless the limit is reached. */
  take(caller: string): LimitStatus | Promise<LimitStatus> {
    return this.windows.take(`${this.name}:${caller}`, this.terms.rate);
  }

  /** Takes back a hit that `take` counted. */
  giveBack(caller: string): void {
    this.windows.giveBack(`${this.name}:${caller}`, this.terms.rate);
  }

  look(caller: string): LimitStatus | Promise<LimitStatus> {
    return this.windows.look(`${this.name}:${caller}`, this.terms.rate);
  }
}
