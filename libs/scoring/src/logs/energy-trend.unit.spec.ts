import { analyzeLogs } from './analyze-logs';
import { civilDate, dayNumber } from './civil-days';
import { mannKendallZ, senSlope } from './daily-scores';
import type { HabitLog } from './habit-history';

const FIRST = dayNumber('2026-01-05');

function trendOf(scores: readonly (number | null)[], daysLater = 0) {
  const logs = scores.map((energyScore, i): HabitLog => ({
    localDate: civilDate(FIRST + i),
    status: 'COMPLETED',
    energyScore,
  }));
  const habits = [{ name: 'a', startDate: civilDate(FIRST), logs }];
  return analyzeLogs({ habits, asOf: civilDate(FIRST + scores.length - 1 + daysLater) }).habits[0]!.metrics
    .energy_trend;
}

describe('energy trend', () => {
  it('needs ten days with a score', () => {
    expect(trendOf([1, 2, 3, 4, 5, 6, 7, 8, 9])).toBeNull();
    expect(trendOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBe('rising');
    expect(trendOf([10, 9, null, 8, 7, 6, 5, 4, 3, 2, 1])).toBe('falling');
  });

  it('does not call ups and downs a trend', () => {
    expect(trendOf([5, 6, 5, 6, 5, 6, 5, 6, 5, 6])).toBe('stable');
    expect(trendOf(Array.from({ length: 12 }, () => 7))).toBe('stable');
  });

  it('does not call a significant change of less than a point a trend', () => {
    // The median slope is 0: most pairs of days are equal.
    expect(trendOf([5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6])).toBe('stable');
  });

  it('calls a significant change of exactly one point a trend', () => {
    // Daily means from 5 to 6 in thirds: the median slope is 1/9, over 9 days 0.9999999999999991 in floating point.
    const logs = [15, 16, 16, 17, 18, 18, 18, 18, 18, 18].flatMap((sum, i) =>
      [4, 5, sum - 9].map((energyScore): HabitLog => ({
        localDate: civilDate(FIRST + i),
        status: 'COMPLETED',
        energyScore,
      })),
    );
    const habits = [{ name: 'a', startDate: civilDate(FIRST), logs }];
    expect(analyzeLogs({ habits, asOf: civilDate(FIRST + 9) }).habits[0]!.metrics.energy_trend).toBe('rising');
  });

  it('looks at the last 28 days', () => {
    const rise = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(trendOf(rise, 18)).toBe('rising');
    expect(trendOf(rise, 19)).toBeNull();
  });
});

describe('mannKendallZ', () => {
  it('counts rises with continuity correction', () => {
    // S = 45, variance = 10 * 9 * 25 / 18 = 125
    expect(mannKendallZ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBeCloseTo(44 / Math.sqrt(125), 12);
  });

  it('corrects the variance for ties', () => {
    // S = 6; two pairs of equal values: variance = (5 * 4 * 15 - 2 * (2 * 1 * 9)) / 18
    expect(mannKendallZ([2, 1, 2, 3, 3])).toBeCloseTo(5 / Math.sqrt(264 / 18), 12);
  });

  it('is 0 without any rise or fall', () => {
    expect(mannKendallZ([4, 4, 4])).toBe(0);
  });
});

describe('senSlope', () => {
  it('is the median over pairs, by days and not by places', () => {
    expect(senSlope([0, 1, 10], [0, 1, 10])).toBe(1);
    expect(senSlope([0, 1, 2], [0, 9, 2])).toBe(1);
    expect(senSlope([0, 2], [1, 2])).toBe(0.5);
    // Slopes 4, 2, 1, 0, -0.5, -1: the middle two are 1 and 0.
    expect(senSlope([0, 1, 2, 3], [0, 4, 4, 3])).toBe(0.5);
  });
});
