import { type Clock, ManualClock } from '@evenkeel/kernel';

/** Present time of the development Stripe: its clock, moved ahead by `moveTo`, or an instant that is being caught up with. */
export class StripeTime {
  private aheadMs = 0;
  private instant: Date | null = null;

  constructor(private readonly clock: Clock) {}

  now(): Date {
    return this.instant ?? new Date(this.clock.now().getTime() + this.aheadMs);
  }

  /** Seconds since 1970, as every time of Stripe is written. */
  get seconds(): number {
    return secondsOf(this.now());
  }

  /** Time for signatures: the receiver knows nothing of the time that was skipped. */
  get signing(): Date {
    return this.clock.now();
  }

  /** Moves a manual clock itself, and runs ahead of any other. Never goes back. */
  moveTo(at: Date): void {
    const ms = at.getTime() - this.now().getTime();
    if (ms <= 0) return;
    if (this.clock instanceof ManualClock) this.clock.advanceMs(ms);
    else this.aheadMs += ms;
  }

  /** Does work as of an instant that the clock has passed already. */
  asOf(at: Date, work: () => void): void {
    this.instant = at;
    try {
      work();
    } finally {
      this.instant = null;
    }
  }
}

export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
