import fc from 'fast-check';
import { aLife, type Life } from '../properties/histories.fixture';
import { evaluateHistories } from './evaluate-histories';
import type { HabitHistory } from './habit-history';
import { literalReading } from './literal-reading.fixture';

describe('the engine against a second reading of the rules', () => {
  it.each([
    ['2,000 short histories', 2_000, { min: 1, max: 24 }, 90],
    ['500 histories longer than the skip budget looks back', 500, { min: 95, max: 190 }, 30],
  ])('agrees on %s', (_, numRuns, days, windowDays) => {
    fc.assert(
      fc.property(aLife(days), (life) => expectAgreement(life, windowDays)),
      { numRuns },
    );
  });

  it('agrees on 500 histories whose owner gave no start date', () => {
    fc.assert(
      fc.property(aLife({ min: 1, max: 40 }), fc.boolean(), (life, created) => {
        const createdOn = created ? life.habit.startDate : undefined;
        expectAgreement({ ...life, habit: { ...life.habit, startDate: undefined, createdOn } }, 90);
      }),
      { numRuns: 500 },
    );
  });
});

function expectAgreement(
  { habit, asOf, weekStart }: Omit<Life, 'habit'> & { habit: HabitHistory },
  windowDays: number,
) {
  const [evaluated] = evaluateHistories({ habits: [habit], asOf, weekStart, windowDays });
  const { metrics, record } = evaluated!;
  const literal = literalReading(habit, asOf, windowDays, weekStart);
  const { evidence, occasions, excused, skip_budget_remaining, current_streak, best_streak, streak_unit } = metrics;
  expect({ evidence, occasions, excused, skip_budget_remaining, current_streak, best_streak, streak_unit }).toEqual({
    evidence: literal.evidence,
    occasions: literal.occasions,
    excused: literal.excused,
    skip_budget_remaining: literal.skip_budget_remaining,
    current_streak: literal.current_streak,
    best_streak: literal.best_streak,
    streak_unit: literal.streak_unit,
  });
  expectClose(metrics.completion_rate, literal.completion_rate);
  expectClose(metrics.strength, literal.strength);
  expectClose(metrics.lapse_risk, literal.lapse_risk);
  expectClose(metrics.previous_period?.completion_rate ?? null, literal.previous);
  expect(record.counted.reduce((count, day) => count + day, 0)).toBe(literal.seen.length);

  const best = metrics.best_weekday;
  const ranked = literal.weekdays.filter(({ n }) => n >= 4).map(({ mean }) => mean);
  expect(best === null).toBe(ranked.length === 0);
  if (best) {
    const chosen = literal.weekdays[best.weekday - 1]!;
    expect(best.n).toBe(chosen.n);
    expectClose(chosen.mean, Math.max(...ranked));
  }
}

/** The last printed digit may differ: the two readings add in another order. */
function expectClose(value: number | null, literal: number | null): void {
  if (value === null || literal === null) expect(value).toBe(literal);
  else expect(Math.abs(value - literal)).toBeLessThan(0.000_051);
}
