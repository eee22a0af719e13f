import { type Clock, ManualClock } from '@evenkeel/kernel';
import type Stripe from 'stripe';
import type { Period } from '../objects/sales';

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

export const DAY_SECONDS = 86_400;
const DAYS_OF_A_WEEK = 7;

/**
 * The period of a price that holds this moment, counted from the anchor: a month from the 31st ends on the last day of
 * a shorter month, and the one after it on the 31st again.
 * @param anchor seconds since 1970 at which a period begins
 * @param at seconds, not before the anchor
 */
export function periodAt(anchor: number, price: Stripe.Price, at: number): Period {
  const { interval, interval_count: every } = price.recurring!;
  if (interval === 'day' || interval === 'week') {
    const length = every * DAY_SECONDS * (interval === 'week' ? DAYS_OF_A_WEEK : 1);
    const start = anchor + Math.floor((at - anchor) / length) * length;
    return { start, end: start + length };
  }
  const months = every * (interval === 'year' ? 12 : 1);
  const between = dateOf(at).getTime() - dateOf(anchor).getTime();
  // A month has 31 days at most: this guess is never too late.
  let count = Math.floor(between / (31 * DAY_SECONDS * 1000) / months);
  while (monthsAfter(anchor, (count + 1) * months) <= at) count += 1;
  return { start: monthsAfter(anchor, count * months), end: monthsAfter(anchor, (count + 1) * months) };
}

export function monthsAfter(anchor: number, months: number): number {
  const date = dateOf(anchor);
  const day = date.getUTCDate();
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, lastDay));
  return secondsOf(moved);
}
