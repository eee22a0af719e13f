import { scaleBand, scaleLinear } from 'd3-scale';
import type { Day } from './answers';
import { countText, moneyText } from './figures.panel';
import { shortDateText } from './times-text';

export interface Box {
  width: number;
  height: number;
}

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

/** Where everything of the chart is, in pixels from its upper left corner. */
export interface ChartGeometry {
  bars: Bar[];
  /** Top of the bar of the same place in the period before, if any. */
  before: (number | undefined)[];
  /** Centre of a day and height of its calls. */
  calls: { x: number; y: number }[];
  revenueTicks: Tick[];
  callTicks: Tick[];
  dayTicks: Tick[];
  plot: { left: number; right: number; top: number; bottom: number };
}

const MARGIN = { top: 26, bottom: 24 };
const CHARACTER_WIDTH = 7;
const LABEL_GAP = 10;
/** `calls`, the head of the right scale. */
const SHORTEST_SIDE = 5;
const WIDEST_BAR = 56;
const TICKS = 4;
const DAY_LABEL_WIDTH = 76;

/** Bars of revenue on the left scale, a line of calls on the right one; both scales begin at 0 and end at a round number. */
export function chartGeometry(days: readonly Day[], before: readonly Day[], { width, height }: Box): ChartGeometry {
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const scaleUpTo = (most: number) => scaleLinear([0, most], [bottom, top]).nice(TICKS);
  const revenue = scaleUpTo(Math.max(0.01, ...[...days, ...before].map(revenueOf)));
  const calls = scaleUpTo(Math.max(TICKS, ...days.map(callsOf)));
  const revenueTicks = revenue.ticks(TICKS).map((usd) => tick(revenue(usd), moneyText({ usd, usd_exact: '' })));
  const wholes = calls.ticks(TICKS).filter(Number.isInteger);
  const callTicks = wholes.map((count) => tick(calls(count), countText(count)));
  const plot = { left: widthOf(revenueTicks), right: width - widthOf(callTicks), top, bottom };
  const bands = scaleBand<number>()
    .domain(days.map((_, index) => index))
    .range([plot.left, plot.right])
    .paddingInner(0.25)
    .paddingOuter(0.25);
  const barWidth = Math.min(bands.bandwidth(), WIDEST_BAR);
  const centreOf = (index: number) => bands(index)! + bands.bandwidth() / 2;
  return {
    bars: days.map((day, index) => {
      const y = revenue(revenueOf(day));
      return { x: centreOf(index) - barWidth / 2, y, width: barWidth, height: plot.bottom - y };
    }),
    before: days.map((_, index) => {
      const then = before[index] && revenueOf(before[index]);
      return then ? revenue(then) : undefined;
    }),
    calls: days.map((day, index) => ({ x: centreOf(index), y: calls(callsOf(day)) })),
    revenueTicks,
    callTicks,
    dayTicks: labelled(days.length, plot.right - plot.left).map((index) => {
      return tick(centreOf(index), shortDateText(days[index]!.date));
    }),
    plot,
  };
}

/** The day under a pointer. */
export function dayAt(x: number, { calls }: ChartGeometry): number {
  const distances = calls.map((call) => Math.abs(call.x - x));
  return distances.indexOf(Math.min(...distances));
}

/** Paid by money or by credit. */
export function callsOf({ paid_calls, credit_calls }: Pick<Day, 'paid_calls' | 'credit_calls'>): number {
  return paid_calls + credit_calls;
}

function tick(at: number, text: string): Tick {
  return { at, text };
}

/** Room for the longest label beside the plot. */
function widthOf(ticks: readonly Tick[]): number {
  return Math.max(SHORTEST_SIDE, ...ticks.map(({ text }) => text.length)) * CHARACTER_WIDTH + LABEL_GAP;
}

function revenueOf({ gross_revenue }: Day): number {
  return gross_revenue.usd;
}

/** Today has a label; the others have labels in equal steps before it, as many as fit. */
function labelled(days: number, width: number): number[] {
  const step = Math.ceil(days / Math.max(1, Math.floor(width / DAY_LABEL_WIDTH)));
  const count = Math.ceil(days / step);
  return Array.from({ length: count }, (_, index) => days - 1 - index * step).reverse();
}
