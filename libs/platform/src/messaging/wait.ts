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

/**
 * The signal of one wait, which ends with a longer one. Not by `AbortSignal.any`: a signal that lives as long as the
 * process remembers for ever each one that was made of it.
 */
export class Wait implements Disposable {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor(private readonly longer: AbortSignal) {
    if (longer.aborted) this.end();
    longer.addEventListener('abort', this.end);
  }

  readonly end = (): void => this.controller.abort();

  [Symbol.dispose](): void {
    this.end();
    this.longer.removeEventListener('abort', this.end);
  }
}
