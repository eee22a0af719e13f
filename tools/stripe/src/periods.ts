import type Stripe from 'stripe';

/** In seconds since 1970, as every time of Stripe. */
export interface Period {
  start: number;
  end: number;
}

export const DAY_SECONDS = 86_400;

export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}

/**
 * The period of a price that holds this moment, counted from the anchor: a month from the 31st ends on the last day of
 * a shorter month, and the one after it on the 31st again.
 * @param anchor at which a period begins
 * @param at not before the anchor
 */
export function periodAt(anchor: number, { recurring }: Stripe.Price, at: number): Period {
  const { interval, interval_count: every } = recurring!;
  const after = (count: number) => {
    if (interval === 'week') return anchor + count * every * 7 * DAY_SECONDS;
    return monthsAfter(anchor, count * every * (interval === 'year' ? 12 : 1));
  };
  let count = 0;
  while (after(count + 1) <= at) count += 1;
  return { start: after(count), end: after(count + 1) };
}

export function monthsAfter(anchor: number, months: number): number {
  const date = new Date(anchor * 1_000);
  const moved = new Date(date);
  moved.setUTCMonth(date.getUTCMonth() + months);
  // The last day of a month that has no such day.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0);
  return secondsOf(moved);
}
