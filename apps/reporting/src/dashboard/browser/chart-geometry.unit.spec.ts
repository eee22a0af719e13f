import type { Day } from './answers';
import { chartGeometry, dayAt } from './chart-geometry';

const aDay = (index: number, usd: number, calls: number): Day => {
  const money = { usd, usd_exact: usd.toFixed(6) };
  return {
    date: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
    gross_revenue: money,
    attributed_cost: money,
    net_margin: money,
    paid_calls: calls,
    credit_calls: 0,
    unique_payers: 1,
    complete: true,
  };
};
const days = Array.from({ length: 30 }, (_, index) => aDay(index, index, index * 10));
const box = { width: 1_000, height: 260 };

it('draws every bar from zero to its revenue on the left scale', () => {
  const { bars, plot, revenueTicks } = chartGeometry(days, [], box);
  expect(bars.every(({ y, height }) => Math.abs(y + height - plot.bottom) < 0.001)).toBe(true);
  expect(bars[0]!.height).toBe(0);
  expect(revenueTicks.map(({ text }) => text)).toEqual(['0.00', '10.00', '20.00', '30.00']);
  expect(bars[10]!.y).toBeCloseTo(revenueTicks[1]!.at);
});

it('gives calls a scale of their own, in whole numbers', () => {
  const { calls, callTicks } = chartGeometry(days, [], box);
  expect(callTicks.map(({ text }) => text)).toEqual(['0', '100', '200', '300']);
  expect(calls[20]!.y).toBeCloseTo(callTicks[2]!.at);
  const few = chartGeometry([aDay(0, 1, 1)], [], box);
  expect(few.callTicks.map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4']);
});

it.each([1, 7, 30, 90, 365])('keeps %i days within the plot, with today labelled and room between labels', (count) => {
  const many = Array.from({ length: count }, (_, index) => aDay(index, 1, 1));
  for (const width of [328, 1_150]) {
    const { bars, dayTicks, plot, calls } = chartGeometry(many, [], { width, height: 220 });
    expect(bars[0]!.x).toBeGreaterThanOrEqual(plot.left);
    expect(bars.at(-1)!.x + bars.at(-1)!.width).toBeLessThanOrEqual(plot.right);
    expect(dayTicks.at(-1)!.at).toBe(calls.at(-1)!.x);
    const gaps = dayTicks.slice(1).map(({ at }, index) => at - dayTicks[index]!.at);
    expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(60);
  }
});

it('shows the period before on the same scale', () => {
  const before = days.map((_, index) => aDay(index, 60, 1));
  const { before: marks, bars, plot } = chartGeometry(days, before, box);
  expect(marks[0]).toBe(plot.top);
  expect(bars[29]!.height).toBeLessThan((plot.bottom - plot.top) / 2);
  expect(chartGeometry(days, [], box).before.every((mark) => mark === undefined)).toBe(true);
});

it('finds the day nearest to a pointer', () => {
  const geometry = chartGeometry(days, [], box);
  expect(dayAt(0, geometry)).toBe(0);
  expect(dayAt(geometry.calls[12]!.x + 3, geometry)).toBe(12);
  expect(dayAt(5_000, geometry)).toBe(29);
});

it('is drawn without any revenue', () => {
  const { bars, revenueTicks } = chartGeometry([aDay(0, 0, 0)], [], box);
  expect(bars[0]!.height).toBe(0);
  expect(revenueTicks[0]!.text).toBe('0.00');
});
