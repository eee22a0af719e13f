import type { Day, Interval } from './answers';
import { chartGeometry } from './chart-geometry';

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
const points = Array.from({ length: 30 }, (_, index) => aDay(index, index, index * 10));
const geometryOf = (all: readonly Day[], before: readonly Day[] = [], interval: Interval = 'day', width = 1_000) =>
  chartGeometry({ points: all, before, interval }, width, 244);

it('draws every bar from zero to its revenue', () => {
  const { revenue } = geometryOf(points);
  expect(revenue.bars.every(({ y, height }) => Math.abs(y + height - revenue.bottom) < 0.001)).toBe(true);
  expect(revenue.bars[0]!.height).toBe(0);
  expect(revenue.bars[10]!.y).toBeCloseTo(revenue.ticks[1]!.at);
});

it.each([
  [0, '0.00'],
  [0.05, '0.00 0.01 0.02 0.03 0.04 0.05'],
  [1.06, '0.00 0.50 1.00 1.50'],
  [12.2, '0.00 5.00 10.00 15.00'],
  [250, '0.00 50.00 100.00 150.00 200.00 250.00'],
  [1_234_567, '0.00 500\u202f000.00 1\u202f000\u202f000.00 1\u202f500\u202f000.00'],
])('labels a scale up to %d by round steps', (most, labels) => {
  const { revenue } = geometryOf([aDay(0, most, 1)]);
  expect(revenue.ticks.map(({ text }) => text).join(' ')).toMatch(labels);
  expect(revenue.ticks.at(-1)!.at).toBeCloseTo(revenue.top);
});

it('puts calls beneath, under the bars of their revenue, on a scale of their own in whole numbers', () => {
  const { revenue, calls } = geometryOf(points);
  expect(calls.top).toBeGreaterThan(revenue.bottom);
  expect(calls.bars.map(({ x, width }) => [x, width])).toEqual(revenue.bars.map(({ x, width }) => [x, width]));
  expect(calls.ticks).toEqual([
    { at: calls.bottom, text: '0' },
    { at: calls.top, text: '300' },
  ]);
  expect(calls.bars[20]!.y).toBeCloseTo(calls.bottom - ((calls.bottom - calls.top) * 2) / 3);
  expect(geometryOf([aDay(0, 1, 1)]).calls.ticks.map(({ text }) => text)).toEqual(['0', '2']);
});

it.each<[Interval, number]>([
  ['hour', 15],
  ['hour', 192],
  ['day', 1],
  ['day', 364],
  ['week', 53],
  ['month', 13],
  ['month', 37],
])('keeps the bars of every %s within the picture, %i of them, with room between labels', (interval, count) => {
  const days = { hour: 1 / 24, day: 1, week: 7, month: 31 }[interval];
  const many = Array.from({ length: count }, (_, index) => ({
    ...aDay(Math.floor(index * days), 1, 1),
    ...(interval === 'hour' && { hour: index % 24 }),
  }));
  for (const width of [312, 1_150]) {
    const { left, right, revenue, pointTicks } = geometryOf(many, [], interval, width);
    expect(revenue.bars[0]!.x).toBeGreaterThanOrEqual(left);
    expect(revenue.bars.at(-1)!.x + revenue.bars.at(-1)!.width).toBeLessThanOrEqual(right);
    const gaps = pointTicks.slice(1).map(({ at }, index) => at - pointTicks[index]!.at);
    expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(44);
    expect(pointTicks.length).toBeGreaterThan(0);
  }
});

it('shows the days before on the same scale, and none where there is none', () => {
  const before = points.map((_, index) => aDay(index, 60, 1));
  const { before: marks, revenue } = geometryOf(points, before.slice(0, 29));
  expect([marks[0], marks[29]]).toEqual([revenue.top, undefined]);
  expect(revenue.bars[29]!.height).toBeLessThan((revenue.bottom - revenue.top) / 2);
});
