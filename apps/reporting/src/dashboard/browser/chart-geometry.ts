import type { Day, Interval } from './answers';
import { tickText } from './points';
import { countText, moneyText } from './text';

export interface Series {
  points: readonly Day[];
  before: readonly Day[];
  interval: Interval;
}

/** Where everything of the chart is, in pixels from its upper left corner. */
export type ChartGeometry = ReturnType<typeof chartGeometry>;
/** One of two scales, one above the other, over the same points. */
export type Strip = ChartGeometry['revenue'];

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

export const callsOf = ({ paid_calls, credit_calls }: Day): number => paid_calls + credit_calls;
const revenueOf = ({ gross_revenue }: Day): number => gross_revenue.usd;

/** Bars of revenue, and a strip of bars of calls beneath; each scale begins at 0 and ends at a round number. */
export function chartGeometry({ points, before, interval }: Series, width: number, height: number) {
  const room = height - TOP - BETWEEN - FOOT;
  const callsHeight = Math.round(room * CALLS_SHARE);
  const [base, foot] = [TOP + room - callsHeight, height - FOOT];
  const compared = points.map((_, index) => before[index]).map((day) => (day ? revenueOf(day) : 0));
  const revenue = roundScale(Math.max(0.01, ...points.map(revenueOf), ...compared), REVENUE_STEPS, base, TOP);
  const calls = roundScale(Math.max(CALL_STEPS, ...points.map(callsOf)), CALL_STEPS, foot, foot - callsHeight);
  const revenueTicks = revenue.ticks.map((usd) => tick(revenue.at(usd), moneyText({ usd, usd_exact: usd.toFixed(6) })));
  // There is no room for more than both ends.
  const callTicks = [0, calls.ticks.at(-1)!].map((count) => tick(calls.at(count), countText(count)));
  const longest = Math.max(...[...revenueTicks, ...callTicks].map(({ text }) => text.length));
  const [left, right] = [longest * CHARACTER_WIDTH + LABEL_GAP, width - RIGHT];

  // The hours of a day that has only begun keep their places.
  const slots = interval === 'hour' ? Math.ceil(points.length / HOURS) * HOURS : points.length;
  const step = (right - left) / slots;
  const barWidth = Math.min(step * BAR_SHARE, WIDEST_BAR);
  const centreOf = (index: number): number => left + step * (index + 0.5);
  const barsOf = (heightOf: (day: Day) => number, bottom: number) =>
    points.map((day, index) => {
      const y = heightOf(day);
      return { x: centreOf(index) - barWidth / 2, y, width: barWidth, height: bottom - y };
    });
  const revenueBars = barsOf((day) => revenue.at(revenueOf(day)), base);
  const callBars = barsOf((day) => calls.at(callsOf(day)), foot);
  return {
    left,
    right,
    /** Width of the room of each point. */
    step,
    revenue: { top: TOP, bottom: base, ticks: revenueTicks, bars: revenueBars },
    calls: { top: foot - callsHeight, bottom: foot, ticks: callTicks, bars: callBars },
    /** Height of the revenue at the same place in the days before, where there is one to compare with. */
    before: compared.map((usd) => (usd > 0 ? revenue.at(usd) : undefined)),
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

export function pointAt(x: number, { left, step, revenue }: ChartGeometry): number {
  return Math.min(Math.max(Math.floor((x - left) / step), 0), revenue.bars.length - 1);
}

function tick(at: number, text: string) {
  return { at, text };
}

/** Round hours have labels; of days and longer the last has one, and as many before it in equal steps as fit. */
function labelled(points: number, interval: Interval, step: number): number[] {
  const apart = Math.max(1, Math.ceil(LABEL_WIDTH[interval] / step));
  const hours = HOUR_STEPS.find((candidate) => candidate >= apart) ?? points;
  const isLabelled = (index: number): boolean =>
    interval === 'hour' ? index % hours === 0 : (points - 1 - index) % apart === 0;
  return [...Array(points).keys()].filter(isLabelled);
}
