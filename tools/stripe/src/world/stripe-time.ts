import { type Clock, ManualClock } from '@evenkeel/kernel';
import type Stripe from 'stripe';
import type { Period } from './objects';

/** Present time of the development Stripe: its clock, moved ahead by `moveTo`, or an instant that is being caught up with. */
export class StripeTime {
  private aheadMs = 0;
  private instant: Date | null = null;

  /** Signatures have the time of the clock: the receiver knows nothing of the time that was skipped. */
  constructor(readonly clock: Clock) {}

  now(): Date {
    return this.instant ?? new Date(this.clock.now().getTime() + this.aheadMs);
  }

  /** Seconds since 1970, as every time of Stripe is written. */
  get seconds(): number {
    return secondsOf(this.now());
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
  return Math.floor(date.getTime() / 1_000);
}

export const DAY_SECONDS = 86_400;
const LONGEST_MONTH_SECONDS = 31 * DAY_SECONDS;

/**
 * The period of a price that holds this moment, counted from the anchor: a month from the 31st ends on the last day of
 * a shorter month, and the one after it on the 31st again.
 * @param anchor seconds since 1970 at which a period begins
 * @param at seconds, not before the anchor
 */
export function periodAt(anchor: number, price: Stripe.Price, at: number): Period {
  const { interval, interval_count: every } = price.recurring!;
  if (interval === 'day' || interval === 'week') {
    const length = every * DAY_SECONDS * (interval === 'week' ? 7 : 1);
    const start = anchor + Math.floor((at - anchor) / length) * length;
    return { start, end: start + length };
  }
  const months = every * (interval === 'year' ? 12 : 1);
  // This guess is never too late.
  let count = Math.floor((at - anchor) / LONGEST_MONTH_SECONDS / months);
  while (monthsAfter(anchor, (count + 1) * months) <= at) count += 1;
  return { start: monthsAfter(anchor, count * months), end: monthsAfter(anchor, (count + 1) * months) };
}

export function monthsAfter(anchor: number, months: number): number {
  const date = new Date(anchor * 1_000);
  const moved = new Date(date);
  moved.setUTCMonth(date.getUTCMonth() + months);
  // The last day of a month that has no such day.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0);
  return secondsOf(moved);
}
