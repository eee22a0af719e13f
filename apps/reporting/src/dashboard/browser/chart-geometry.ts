import type { Day, Interval } from './answers';
import { tickText } from './points';
import { countText, moneyText } from './text';

export interface Tick {
  at: number;
  text: string;
}

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Two scales, one above the other, over the same points. */
export interface Strip {
  top: number;
  bottom: number;
  bars: Bar[];
  ticks: Tick[];
}

/** Where everything of the chart is, in pixels from its upper left corner. */
export interface ChartGeometry {
  left: number;
  right: number;
  revenue: Strip;
  calls: Strip;
  /** Height of the revenue at the same place in the days before, where there is one to compare with. */
  before: (number | undefined)[];
  /** Width of the room of each point. */
  step: number;
  pointTicks: Tick[];
}

export interface Series {
  points: readonly Day[];
  before: readonly Day[];
  interval: Interval;
}

const TOP = 24;
/** Share of the height between head and foot that calls have, and the room for their name above them. */
const CALLS_SHARE = 0.22;
const BETWEEN = 34;
const FOOT = 24;
const CHARACTER_WIDTH = 7;
const LABEL_GAP = 10;
const RIGHT = 6;
/** Of the room of a point, the rest is between bars. */
const BAR_SHARE = 0.75;
const WIDEST_BAR = 56;
const REVENUE_STEPS = 4;
const CALL_STEPS = 2;
const LABEL_WIDTH = { hour: 52, day: 68, week: 68, month: 76 };
const HOURS = 24;
/** Labels of hours are round ones. */
const HOUR_STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 192];

/** Bars of revenue, and a strip of bars of calls beneath; each scale begins at 0 and ends at a round number. */
export function chartGeometry({ points, before, interval }: Series, width: number, height: number): ChartGeometry {
  const room = height - TOP - BETWEEN - FOOT;
  const callsHeight = Math.round(room * CALLS_SHARE);
  const [base, foot] = [TOP + room - callsHeight, height - FOOT];
  const compared = points.map((_, index) => before[index]).map((day) => (day ? revenueOf(day) : 0));
  const revenue = roundScale(Math.max(0.01, ...points.map(revenueOf), ...compared), REVENUE_STEPS, base, TOP);
  const calls = roundScale(Math.max(CALL_STEPS, ...points.map(callsOf)), CALL_STEPS, foot, foot - callsHeight);
  const revenueTicks = revenue.ticks.map((usd) => tick(revenue.at(usd), moneyText({ usd, usd_exact: usd.toFixed(6) })));
  // There is no room for more than both ends.
  const callTicks = [0, calls.ticks.at(-1)!].map((count) => tick(calls.at(count), countText(count)));
  const [left, right] = [widthOf([...revenueTicks, ...callTicks]), width - RIGHT];

  // The hours of a day that has only begun keep their places.
  const slots = interval === 'hour' ? Math.ceil(points.length / HOURS) * HOURS : points.length;
  const step = (right - left) / slots;
  const barWidth = Math.min(step * BAR_SHARE, WIDEST_BAR);
  const centreOf = (index: number): number => left + step * (index + 0.5);
  const barsOf = (tops: readonly number[], bottom: number): Bar[] =>
    tops.map((y, index) => ({ x: centreOf(index) - barWidth / 2, y, width: barWidth, height: bottom - y }));
  const revenueBars = barsOf(
    points.map((day) => revenue.at(revenueOf(day))),
    base,
  );
  const callBars = barsOf(
    points.map((day) => calls.at(callsOf(day))),
    foot,
  );
  return {
    left,
    right,
    revenue: { top: TOP, bottom: base, ticks: revenueTicks, bars: revenueBars },
    calls: { top: foot - callsHeight, bottom: foot, ticks: callTicks, bars: callBars },
    before: compared.map((usd) => (usd > 0 ? revenue.at(usd) : undefined)),
    step,
    pointTicks: labelled(points.length, interval, step).map((index) =>
      tick(centreOf(index), tickText(points[index]!, interval)),
    ),
  };
}

/**
 * From 0 to a round number, by round steps.
 * @param most above 0
 * @param steps about so many, at most one more
 */
function roundScale(most: number, steps: number, bottom: number, top: number) {
  const power = 10 ** Math.floor(Math.log10(most / steps));
  const step = power * ([1, 2, 5].find((factor) => most / (factor * power) <= steps + 1) ?? 10);
  const count = Math.ceil(most / step);
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
    at: (value: number): number => bottom - ((bottom - top) * value) / (count * step),
  };
}

/** The point under a pointer. */
export function pointAt(x: number, { left, step, revenue }: ChartGeometry): number {
  return Math.min(Math.max(Math.floor((x - left) / step), 0), revenue.bars.length - 1);
}

/** Paid by money or by credit. */
export function callsOf({ paid_calls, credit_calls }: Pick<Day, 'paid_calls' | 'credit_calls'>): number {
  return paid_calls + credit_calls;
}

function tick(at: number, text: string): Tick {
  return { at, text };
}

/** Room for the longest label beside the bars. */
function widthOf(ticks: readonly Tick[]): number {
  return Math.max(...ticks.map(({ text }) => text.length)) * CHARACTER_WIDTH + LABEL_GAP;
}

function revenueOf({ gross_revenue }: Day): number {
  return gross_revenue.usd;
}

/** Round hours have labels; of days and longer the last has one, and as many before it in equal steps as fit. */
function labelled(points: number, interval: Interval, step: number): number[] {
  const apart = Math.max(1, Math.ceil(LABEL_WIDTH[interval] / step));
  if (interval === 'hour') {
    const hours = HOUR_STEPS.find((candidate) => candidate >= apart) ?? points;
    return Array.from({ length: Math.ceil(points / hours) }, (_, index) => index * hours);
  }
  const count = Math.ceil(points / apart);
  return Array.from({ length: count }, (_, index) => points - 1 - index * apart).reverse();
}
