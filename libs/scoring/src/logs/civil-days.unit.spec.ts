import fc from 'fast-check';
import { civilDate, dayNumber, firstDayOfWeek, weekdayOf } from './civil-days';

const aDay = fc.integer({ min: dayNumber('0000-01-01'), max: dayNumber('9999-12-31') });

describe('civil days', () => {
  it('counts as the calendar of the machine does', () => {
    fc.assert(
      fc.property(aDay, (day) => {
        const date = new Date(day * 86_400_000);
        expect(civilDate(day)).toBe(date.toISOString().slice(0, 10));
        expect(dayNumber(civilDate(day))).toBe(day);
        expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-04-30', '2026/04/30', '', '2026-04-3x'])(
    'refuses %j',
    (date) => expect(() => dayNumber(date)).toThrow(RangeError),
  );
});

describe('weeks', () => {
  it.each([
    ['MONDAY', '2026-01-26'],
    ['SUNDAY', '2026-01-25'],
    ['SATURDAY', '2026-01-31'],
  ] as const)('that start on %s', (weekStart, first) => {
    expect(civilDate(firstDayOfWeek(dayNumber('2026-01-31'), weekStart))).toBe(first);
    expect(firstDayOfWeek(dayNumber(first), weekStart)).toBe(dayNumber(first));
    expect(firstDayOfWeek(dayNumber(first) + 6, weekStart)).toBe(dayNumber(first));
  });
});
