import { Clock } from '@evenkeel/kernel';

/** The chain's own time: that of the clock, moved ahead on request. */
export class ChainTime extends Clock {
  private aheadMs = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  override now(): Date {
    return new Date(this.clock.now().getTime() + this.aheadMs);
  }

  override elapsedMs(): number {
    return this.clock.elapsedMs() + this.aheadMs;
  }

  advance(ms: number): void {
    this.aheadMs += ms;
  }
}
