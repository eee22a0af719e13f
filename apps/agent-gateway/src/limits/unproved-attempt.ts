import type { RateLimit } from '@evenkeel/platform/throttling';

/** One call with a payment or a credit: it counts against its address from its arrival until it has proved good. */
export class UnprovedAttempt {
  private proved = false;

  /** @param caller whose window has counted it */
  constructor(
    private readonly window: RateLimit,
    readonly caller: string,
  ) {}

  get isProved(): boolean {
    return this.proved;
  }

  /** The payment verified, the credit is good, or the ledger has what is repeated: it counts no more. Nobody waits. */
  prove(): void {
    if (this.proved) return;
    this.proved = true;
    this.window.giveBack(this.caller);
  }
}
