import fc from 'fast-check';
import { bucketsOf, INTERVALS } from './intervals';
import { daysOf, rangeOf, shifted } from './window';

const NOW = new Date('2026-02-10T12:30:00.000Z');
const shown = (from: string, to: string, interval: (typeof INTERVALS)[number]) =>
  bucketsOf(rangeOf(from, to), interval, NOW).map((bucket) => [bucket.from, bucket.to, bucket.complete]);

describe('intervals', () => {
  it('of weeks begin on Monday, and their ends are parts of one', () => {
    expect(shown('2026-01-30', '2026-02-10', 'week')).toEqual([
      ['2026-01-30', '2026-02-01', false],
      ['2026-02-02', '2026-02-08', true],
      ['2026-02-09', '2026-02-10', false],
    ]);
  });

  it('of months are calendar months', () => {
    expect(shown('2025-12-02', '2026-02-10', 'month')).toEqual([
      ['2025-12-02', '2025-12-31', false],
      ['2026-01-01', '2026-01-31', true],
      ['2026-02-01', '2026-02-10', false],
    ]);
  });

  it('of days are complete when they are over', () => {
    expect(shown('2026-02-09', '2026-02-10', 'day')).toEqual([
      ['2026-02-09', '2026-02-09', true],
      ['2026-02-10', '2026-02-10', false],
    ]);
  });

  it('of hours are those that have begun', () => {
    const hours = bucketsOf(rangeOf('2026-02-09', '2026-02-10'), 'hour', NOW);
    expect(hours).toHaveLength(24 + 13);
    expect(hours.filter(({ complete }) => !complete)).toEqual([
      { from: '2026-02-10', to: '2026-02-10', hour: 12, complete: false },
    ]);
  });

  it('have every day of the window once', () => {
    const days = fc.integer({ min: 0, max: 1_100 });
    fc.assert(
      fc.property(
        days,
        days,
        fc.constantFrom('day' as const, 'week' as const, 'month' as const),
        (ago, length, interval) => {
          const window = rangeOf(shifted('2026-02-10', -ago - length), shifted('2026-02-10', -ago));
          const covered = bucketsOf(window, interval, NOW).flatMap(({ from, to }) => daysOf(rangeOf(from, to)));
          expect(covered).toEqual(daysOf(window));
        },
      ),
    );
  });
});
