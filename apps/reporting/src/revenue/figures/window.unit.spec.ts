import { comparisonOf, type Period, windowOf } from './window';

it.each<[now: string, period: Period, days: number, before: string, until: string | null]>([
  // A month with the month before, whatever their lengths.
  ['2026-03-31T12:00:00Z', { month: '2026-03' }, 31, '2026-02-01 2026-02-28', null],
  ['2026-02-10T12:00:00Z', { month: '2024-02' }, 29, '2024-01-01 2024-01-31', null],
  // The same weekdays, and the same time while today runs.
  ['2026-02-10T12:00:00Z', { days: 364 }, 364, '2024-02-14 2025-02-11', '2025-02-11T12:00:00.000Z'],
  ['2026-02-10T12:00:00Z', { from: '2026-01-01', to: '2026-02-08' }, 39, '2025-11-20 2025-12-28', null],
])('at %s, %j of %d days is compared with %s, until %s', (time, period, days, range, until) => {
  const { current, before } = comparisonOf(period, new Date(time));
  expect(current.days).toBe(days);
  expect(`${before.from} ${before.to}`).toBe(range);
  expect(before.until?.toISOString() ?? null).toBe(until);
});

it.each([[{ month: '2026-03' }], [{ from: '2026-02-01', to: '2026-02-11' }]])('%j is not over', (period) =>
  expect(() => windowOf(period, new Date('2026-02-10T12:00:00.000Z'))).toThrow('must be at most'),
);
