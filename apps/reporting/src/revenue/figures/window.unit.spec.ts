import fc from 'fast-check';
import { daysOf, wholeMonthsOf, windowBefore, windowUntil } from './window';

describe('a window', () => {
  it('is the current UTC day and those before it', () => {
    expect(windowUntil(new Date('2026-01-31T23:59:59.999Z'), 30)).toEqual({
      days: 30,
      from: '2026-01-02',
      to: '2026-01-31',
    });
    expect(windowUntil(new Date('2026-02-01T00:00:00.000Z'), 1)).toEqual({
      days: 1,
      from: '2026-02-01',
      to: '2026-02-01',
    });
  });

  it('handles leap days', () => {
    const window = windowUntil(new Date('2028-03-01T12:00:00Z'), 2);
    expect(daysOf(window)).toEqual(['2028-02-29', '2028-03-01']);
    expect(windowBefore(window)).toEqual({ days: 2, from: '2028-02-27', to: '2028-02-28' });
  });

  it('has its days without a gap, and none in common with the one before', () => {
    const instants = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 365 }), (now, days) => {
        const window = windowUntil(now, days);
        const both = [...daysOf(windowBefore(window)), ...daysOf(window)];
        expect(both).toHaveLength(2 * days);
        expect([...new Set(both)].sort()).toEqual(both);
        expect([both.at(-1), both[days]]).toEqual([window.to, window.from]);
        const [first, last] = [both[0]!, both.at(-1)!].map((day) => Date.parse(day));
        expect((last! - first!) / 86_400_000).toBe(2 * days - 1);
      }),
    );
  });

  it.each([
    ['2026-01-01', '2026-01-31', ['2026-01-01', '2026-01-31']],
    ['2026-01-02', '2026-01-31', null],
    ['2026-01-01', '2026-01-30', null],
    ['2025-12-31', '2026-02-01', ['2026-01-01', '2026-01-31']],
    ['2025-12-02', '2026-03-30', ['2026-01-01', '2026-02-28']],
    ['2025-12-31', '2026-01-01', null],
    ['2025-01-01', '2025-12-31', ['2025-01-01', '2025-12-31']],
    ['2026-01-15', '2026-01-20', null],
  ])('from %s to %s has whole months: %j', (from, to, months) =>
    expect(wholeMonthsOf({ days: 0, from, to })).toEqual(months && { from: months[0], to: months[1] }),
  );
});
