import { busyDays } from './calendar';

describe('busyDays', () => {
  it.each([
    [1_000_000, 365],
    [7, 365],
    [1, 1],
    [999, 2],
  ])('spreads %d payments over %d days, none lost', (payments, days) => {
    const busy = busyDays({ payments, days, until: '2026-01-31' });
    expect(busy).toHaveLength(days);
    expect(busy.reduce((sum, day) => sum + day.payments, 0)).toBe(payments);
    expect(busy.at(-1)).toMatchObject({ index: days - 1, date: '2026-01-31', startMs: Date.parse('2026-01-31') });
    expect(busy.every((day) => day.payments >= 0)).toBe(true);
  });

  it('grows, and rests on weekends', () => {
    const busy = busyDays({ payments: 1_000_000, days: 365, until: '2026-01-31' });
    const [friday, saturday] = busy.slice(-2);
    expect(saturday!.payments / friday!.payments).toBeCloseTo(2 / 3, 1);
    expect(friday!.payments / busy[5]!.payments).toBeGreaterThan(2);
  });
});
