import type { Clock } from '@evenkeel/kernel';

const WINDOW_SECONDS = 10;
const COOL_DOWN_MS = 5_000;
const MIN_CALLS = 10;
const FAILURE_RATIO = 0.5;

/**
 * Stops calling a dependency that does not answer: opens at half failures of at least 10 calls in 10 s,
 * lets one probe through after 5 s. A refusal is an answer, hence a success.
 */
export class CircuitBreaker {
  private seconds: { second: number; calls: number; failures: number }[] = [];
  private openedAt: number | null = null;

  constructor(private readonly clock: Clock) {}

  get isOpen(): boolean {
    return this.openedAt !== null;
  }

  /** False while open; true once in 5 s, for the probe. */
  admits(): boolean {
    if (this.openedAt === null) return true;
    const now = this.clock.now().getTime();
    if (now - this.openedAt < COOL_DOWN_MS) return false;
    this.openedAt = now;
    return true;
  }

  record(failed: boolean): void {
    const now = this.clock.now().getTime();
    if (this.openedAt !== null) {
      if (failed) this.openedAt = now;
      else this.close();
      return;
    }
    this.count(Math.floor(now / 1_000), failed);
    if (failed && this.isFailing()) this.openedAt = now;
  }

  private count(second: number, failed: boolean): void {
    let current = this.seconds.at(-1);
    if (current?.second !== second) {
      current = { second, calls: 0, failures: 0 };
      this.seconds = this.seconds.filter((past) => past.second > second - WINDOW_SECONDS);
      this.seconds.push(current);
    }
    current.calls += 1;
    if (failed) current.failures += 1;
  }

  private isFailing(): boolean {
    const calls = this.seconds.reduce((sum, past) => sum + past.calls, 0);
    const failures = this.seconds.reduce((sum, past) => sum + past.failures, 0);
    return calls >= MIN_CALLS && failures >= calls * FAILURE_RATIO;
  }

  private close(): void {
    this.openedAt = null;
    this.seconds = [];
  }
}
