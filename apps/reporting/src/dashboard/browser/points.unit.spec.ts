import type { Period } from './answers';
import { DEFAULT_SETTINGS } from './settings';
import { intervalOf, intervalsOf, pointText, suitedInterval, tickText } from './points';

const periods: [Period, string, string][] = [
  [{ days: 1 }, 'hour', 'hour'],
  [{ days: 7 }, 'day', 'day'],
  [{ days: 28 }, 'day', 'day'],
  [{ month: '2026-01' }, 'day', 'day'],
  [{ days: 91 }, 'day', 'week'],
  [{ days: 364 }, 'week', 'month'],
  [{ from: '2023-02-01', to: '2026-01-31' }, 'month', 'month'],
  [{ from: '2026-01-31', to: '2026-01-31' }, 'hour', 'hour'],
];

it.each(periods)('%j suits a %s, on a phone a %s', (period, wide, narrow) =>
  expect([suitedInterval(period, false), suitedInterval(period, true)]).toEqual([wide, narrow]),
);

it('offers what a period has, and takes what is chosen where it is offered', () => {
  expect(intervalsOf({ days: 1 })).toEqual(['hour', 'day']);
  expect(intervalsOf({ days: 8 })).toEqual(['hour', 'day', 'week']);
  expect(intervalsOf({ days: 364 })).toEqual(['day', 'week', 'month']);
  expect(intervalOf({ ...DEFAULT_SETTINGS, period: { days: 364 }, interval: 'month' }, false)).toBe('month');
  expect(intervalOf({ ...DEFAULT_SETTINGS, period: { days: 364 }, interval: 'hour' }, false)).toBe('week');
  expect(intervalOf({ ...DEFAULT_SETTINGS, period: { days: 7 }, interval: 'auto' }, false)).toBe('day');
});

it.each([
  [{ date: '2026-01-30', complete: true }, '30 Jan 2026'],
  [{ date: '2026-01-31', complete: false }, '31 Jan 2026, so far'],
  [{ date: '2026-01-31', hour: 9, complete: true }, '31 Jan 2026, 09:00 to 10:00'],
  [{ date: '2026-01-31', hour: 14, complete: false }, '31 Jan 2026, 14:00 to 15:00, so far'],
  [{ date: '2026-01-26', to: '2026-01-31', complete: false }, '26 Jan to 31 Jan 2026, so far'],
  [{ date: '2025-12-31', to: '2025-12-31', complete: false }, '31 Dec 2025, in part'],
  [{ date: '2025-12-29', to: '2026-01-04', complete: true }, '29 Dec 2025 to 4 Jan 2026'],
])('%j is %s', (point, text) => expect(pointText(point, '2026-01-31')).toBe(text));

it('is named in short below its bar', () => {
  expect(tickText({ date: '2026-01-05', complete: true }, 'week')).toBe('5 Jan');
  expect(tickText({ date: '2026-01-01', complete: true }, 'month')).toBe('Jan 2026');
  expect(tickText({ date: '2026-01-05', hour: 0, complete: true }, 'hour')).toBe('5 Jan');
  expect(tickText({ date: '2026-01-05', hour: 6, complete: true }, 'hour')).toBe('06:00');
});
