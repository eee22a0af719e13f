import fc from 'fast-check';
import { comparisonOf, type Period, type Span, windowOf, windowUntil } from './window';

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
  const cut = (from: string, to: string, days: number) => ({
    ...range(from, to, days),
    until: new Date(`${to}T12:00:00.000Z`),
  });
  const CASES: [Period, Span, Span][] = [
    // Today has the same weekday, and both sides end at the same time.
    [{ days: 1 }, cut('2026-02-10', '2026-02-10', 1), cut('2026-02-03', '2026-02-03', 1)],
    [{ days: 7 }, cut('2026-02-04', '2026-02-10', 7), cut('2026-01-28', '2026-02-03', 7)],
    [{ days: 28 }, cut('2026-01-14', '2026-02-10', 28), cut('2025-12-17', '2026-01-13', 28)],
    [{ days: 30 }, cut('2026-01-12', '2026-02-10', 30), cut('2025-12-08', '2026-01-06', 30)],
    [{ days: 364 }, cut('2025-02-12', '2026-02-10', 364), cut('2024-02-14', '2025-02-11', 364)],
    [
      { from: '2026-02-01', to: '2026-02-02' },
      whole('2026-02-01', '2026-02-02', 2),
      whole('2026-01-25', '2026-01-26', 2),
    ],
    [
      { from: '2026-01-01', to: '2026-02-08' },
      whole('2026-01-01', '2026-02-08', 39),
      whole('2025-11-20', '2025-12-28', 39),
    ],
    // A month with the month before, whatever their lengths.
    [{ month: '2026-01' }, whole('2026-01-01', '2026-01-31', 31), whole('2025-12-01', '2025-12-31', 31)],
    [{ month: '2025-12' }, whole('2025-12-01', '2025-12-31', 31), whole('2025-11-01', '2025-11-30', 30)],
    [{ month: '2026-02' }, cut('2026-02-01', '2026-02-10', 10), cut('2026-01-01', '2026-01-10', 10)],
  ];
  it.each(CASES)('of %j is %j with %j', (period, current, before) =>
    expect(comparisonOf(period, NOW)).toEqual({ current, before }),
  );

  it('of the end of a long month is all of a short one before', () => {
    const { current, before } = comparisonOf({ month: '2026-03' }, new Date('2026-03-31T12:00:00Z'));
    expect([current.to, before.from, before.to, before.until]).toEqual([
      '2026-03-31',
      '2026-02-01',
      '2026-02-28',
      null,
    ]);
  });

  it('never sets a Sunday beside a Monday, and has no day in common', () => {
    const instants = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 365 }), (now, days) => {
        const { current, before } = comparisonOf({ days }, now);
        const back = (Date.parse(current.from) - Date.parse(before.from)) / 86_400_000;
        expect([back % 7, before.days, before.to < current.from]).toEqual([0, days, true]);
        expect(back - days).toBeLessThan(7);
        expect(current.until!.getTime() - before.until!.getTime()).toBe(back * 86_400_000);
      }),
    );
  });
});
