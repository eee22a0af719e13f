import { setTimeout as sleep } from 'node:timers/promises';

/** Waits longer after each failure in a row: base times 2^n, at most the cap, less up to half of it by chance. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly baseMs: number,
    private readonly capMs: number,
  ) {}

  /** @param signal ends the wait early */
  async wait(signal: AbortSignal): Promise<void> {
    const ceiling = Math.min(this.capMs, this.baseMs * 2 ** this.failures++);
    await sleep(ceiling * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }

  reset(): void {
    this.failures = 0;
  }
}
