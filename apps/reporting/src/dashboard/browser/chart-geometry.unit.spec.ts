import type { Day, Interval } from './answers';
import { chartGeometry, pointAt } from './chart-geometry';

const aDay = (index: number, usd: number, calls: number, complete = true): Day => {
  const money = { usd, usd_exact: usd.toFixed(6) };
  return {
    date: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
    gross_revenue: money,
    attributed_cost: money,
    net_margin: money,
    paid_calls: calls,
    credit_calls: 0,
    unique_payers: 1,
    complete,
  };
};
const points = Array.from({ length: 30 }, (_, index) => aDay(index, index, index * 10));
const series = (all: readonly Day[], before: readonly Day[] = [], interval: Interval = 'day') => ({
  points: all,
  before,
  interval,
});
const box = { width: 1_000, height: 244 };

it('draws every bar from zero to its revenue', () => {
  const { revenue } = chartGeometry(series(points), box);
  expect(revenue.bars.every(({ y, height }) => Math.abs(y + height - revenue.bottom) < 0.001)).toBe(true);
  expect(revenue.bars[0]!.height).toBe(0);
  expect(revenue.ticks.map(({ text }) => text)).toEqual(['0.00', '10.00', '20.00', '30.00']);
  expect(revenue.bars[10]!.y).toBeCloseTo(revenue.ticks[1]!.at);
});

it.each([
  [0.05, ['0.00', '0.01', '0.02', '0.03', '0.04', '0.05']],
  [1.06, ['0.00', '0.50', '1.00', '1.50']],
  [12.2, ['0.00', '5.00', '10.00', '15.00']],
  [250, ['0.00', '50.00', '100.00', '150.00', '200.00', '250.00']],
  [1_234_567, ['0.00', '500\u202f000.00', '1\u202f000\u202f000.00', '1\u202f500\u202f000.00']],
])('labels a scale up to %d by round steps', (most, labels) => {
  const { revenue } = chartGeometry(series([aDay(0, most, 1)]), box);
  expect(revenue.ticks.map(({ text }) => text)).toEqual(labels);
  expect(revenue.ticks.at(-1)!.at).toBeCloseTo(revenue.top);
});

it('puts calls beneath, under the bars of their revenue, on a scale of their own in whole numbers', () => {
  const { revenue, calls } = chartGeometry(series(points), box);
  expect(calls.top).toBeGreaterThan(revenue.bottom);
  expect(calls.bars.map(({ x, width }) => [x, width])).toEqual(revenue.bars.map(({ x, width }) => [x, width]));
  expect(calls.ticks.map(({ text }) => text)).toEqual(['0', '300']);
  expect(calls.ticks.map(({ at }) => at)).toEqual([calls.bottom, calls.top]);
  expect(calls.bars[20]!.y).toBeCloseTo(calls.bottom - ((calls.bottom - calls.top) * 2) / 3);
  expect(chartGeometry(series([aDay(0, 1, 1)]), box).calls.ticks.map(({ text }) => text)).toEqual(['0', '2']);
});

it.each<[Interval, number]>([
  ['hour', 15],
  ['hour', 192],
  ['day', 1],
  ['day', 28],
  ['day', 364],
  ['week', 53],
  ['month', 13],
  ['month', 37],
])('keeps the bars of every %s within the picture, %i of them, with room between labels', (interval, count) => {
  const many = Array.from({ length: count }, (_, index) => ({
    ...aDay(
      interval === 'hour' ? Math.floor(index / 24) : index * { hour: 0, day: 1, week: 7, month: 31 }[interval],
      1,
      1,
    ),
    ...(interval === 'hour' && { hour: index % 24 }),
  }));
  for (const width of [312, 1_150]) {
    const { left, right, revenue, pointTicks } = chartGeometry(series(many, [], interval), { width, height: 244 });
    expect(revenue.bars[0]!.x).toBeGreaterThanOrEqual(left);
    expect(revenue.bars.at(-1)!.x + revenue.bars.at(-1)!.width).toBeLessThanOrEqual(right);
    const gaps = pointTicks.slice(1).map(({ at }, index) => at - pointTicks[index]!.at);
    expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(44);
    expect(pointTicks.length).toBeGreaterThan(0);
  }
});

it.each([
  ['week', 53, 3],
  ['month', 13, 13],
] as const)('shows a year by the %s on a phone, in %i bars that can be distinguished', (interval, count, width) => {
  const year = Array.from({ length: count }, (_, index) => aDay(index * 7, 1_000, 1));
  const { revenue } = chartGeometry(series(year, [], interval), { width: 312, height: 244 });
  expect(revenue.bars[0]!.width).toBeGreaterThan(width);
  expect(revenue.bars[1]!.x - revenue.bars[0]!.x - revenue.bars[0]!.width).toBeGreaterThan(1);
});

it('keeps the places of the hours that a day has not had yet', () => {
  const hours = Array.from({ length: 6 }, (_, hour) => ({ ...aDay(0, 1, 1), hour }));
  const { left, right, revenue, pointTicks } = chartGeometry(series(hours, [], 'hour'), box);
  expect(revenue.bars.at(-1)!.x).toBeLessThan(left + (right - left) / 4);
  expect(pointTicks.map(({ text }) => text)).toEqual(['1 Jan', '02:00', '04:00']);
});

it('shows the days before on the same scale, also beside a day that runs, and none where there is none', () => {
  const before = points.map((_, index) => aDay(index, 60, 1));
  const today = points.map((day, index) => ({ ...day, complete: index < 29 }));
  const { before: marks, revenue } = chartGeometry(series(today, before.slice(0, 29)), box);
  expect(chartGeometry(series(today, before), box).before[29]).toBe(revenue.top);
  expect(marks[0]).toBe(revenue.top);
  expect(marks[29]).toBeUndefined();
  expect(revenue.bars[29]!.height).toBeLessThan((revenue.bottom - revenue.top) / 2);
  expect(chartGeometry(series(points), box).before.every((mark) => mark === undefined)).toBe(true);
});

it('finds the point nearest to a pointer', () => {
  const geometry = chartGeometry(series(points), box);
  const { x, width } = geometry.rooms[12]!;
  expect(pointAt(0, geometry)).toBe(0);
  expect(pointAt(x + width / 2 + 3, geometry)).toBe(12);
  expect(pointAt(5_000, geometry)).toBe(29);
});

it('is drawn without any revenue', () => {
  const { revenue } = chartGeometry(series([aDay(0, 0, 0)]), box);
  expect(revenue.bars[0]!.height).toBe(0);
  expect(revenue.ticks[0]!.text).toBe('0.00');
});
