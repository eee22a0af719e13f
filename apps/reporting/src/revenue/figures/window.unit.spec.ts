import fc from 'fast-check';
import { comparisonOf, daysOf, windowOf, windowUntil } from './window';

const NOW = new Date('2026-02-10T12:00:00.000Z');
const range = (from: string, to: string, days: number) => ({ days, from, to });

describe('a window', () => {
  it('is the current UTC day and those before it', () => {
    expect(windowUntil(new Date('2026-01-31T23:59:59.999Z'), 30)).toEqual(range('2026-01-02', '2026-01-31', 30));
    expect(windowUntil(new Date('2026-02-01T00:00:00.000Z'), 1)).toEqual(range('2026-02-01', '2026-02-01', 1));
  });

  it.each([
    [{ month: '2026-01' }, range('2026-01-01', '2026-01-31', 31)],
    [{ month: '2024-02' }, range('2024-02-01', '2024-02-29', 29)],
    [{ month: '2026-02' }, range('2026-02-01', '2026-02-10', 10)],
    [{ from: '2025-12-31', to: '2026-01-01' }, range('2025-12-31', '2026-01-01', 2)],
    [{ from: '2026-02-10', to: '2026-02-10' }, range('2026-02-10', '2026-02-10', 1)],
  ])('of %j is %j', (period, window) => expect(windowOf(period, NOW)).toEqual(window));

  it.each([[{ month: '2026-03' }], [{ from: '2026-02-01', to: '2026-02-11' }]])('%j is not over', (period) =>
    expect(() => windowOf(period, NOW)).toThrow('must be at most'),
  );
});

describe('a comparison', () => {
  const whole = (from: string, to: string, days: number) => ({ ...range(from, to, days), until: null });
  it.each([
    // Today is not complete.
    [{ days: 7 }, whole('2026-02-04', '2026-02-09', 6), whole('2026-01-29', '2026-02-03', 6)],
    [
      { from: '2026-02-01', to: '2026-02-02' },
      whole('2026-02-01', '2026-02-02', 2),
      whole('2026-01-30', '2026-01-31', 2),
    ],
    // A month with the month before, whatever their lengths.
    [{ month: '2026-01' }, whole('2026-01-01', '2026-01-31', 31), whole('2025-12-01', '2025-12-31', 31)],
    [{ month: '2025-12' }, whole('2025-12-01', '2025-12-31', 31), whole('2025-11-01', '2025-11-30', 30)],
    [{ month: '2026-02' }, whole('2026-02-01', '2026-02-09', 9), whole('2026-01-01', '2026-01-09', 9)],
  ])('of %j is %j with %j', (period, current, before) =>
    expect(comparisonOf(period, NOW)).toEqual({ current, before }),
  );

  it.each([[{ days: 1 }], [{ from: '2026-02-10', to: '2026-02-10' }]])(
    'of today as %j is yesterday up to now',
    (period) =>
      expect(comparisonOf(period, NOW)).toEqual({
        current: { ...range('2026-02-10', '2026-02-10', 1), until: NOW },
        before: { ...range('2026-02-09', '2026-02-09', 1), until: new Date('2026-02-09T12:00:00.000Z') },
      }),
  );

  it('of the end of a long month is all of a short one before', () => {
    const { current, before } = comparisonOf({ month: '2026-03' }, new Date('2026-03-31T12:00:00Z'));
    expect([current.to, before.from, before.to]).toEqual(['2026-03-30', '2026-02-01', '2026-02-28']);
  });

  it('has days without a gap, and none in common', () => {
    const instants = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: 2, max: 365 }), (now, days) => {
        const { current, before } = comparisonOf({ days }, now);
        const both = [...daysOf(before), ...daysOf(current)];
        expect(both).toHaveLength(2 * (days - 1));
        expect([...new Set(both)].sort()).toEqual(both);
        expect((Date.parse(both.at(-1)!) - Date.parse(both[0]!)) / 86_400_000).toBe(2 * (days - 1) - 1);
        expect(Date.parse(current.to)).toBe(Date.parse(now.toISOString().slice(0, 10)) - 86_400_000);
      }),
    );
  });
});
