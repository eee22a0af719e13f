import fc from 'fast-check';
import { logsOf, moodsOf } from './calendar.fixture';
import { analyzeLogs, analyzeLogsWithInsights, type HabitHistory, insightsFromLogs, recommendFromLogs } from '../index';
import { aLife, type Life } from '../properties/histories.fixture';
import { evaluateHistories, type HabitMetrics } from './evaluate-histories';
import { literalReading } from './literal-reading.fixture';

describe('insights', () => {
  const first = '2026-01-05';
  const letters = 'ddmmdmdd dmmdmmmd';
  const request = {
    habits: [{ name: 'a', startDate: first, logs: logsOf(letters, first) }],
    otherHabits: [{ name: 'b', startDate: first, logs: moodsOf('87217298 71381237', first) }],
    asOf: '2026-01-21',
  };

  it('have their evidence beside the sentence', () => {
    const insightsOf = (days: string, asOf: string) =>
      insightsFromLogs({ habits: [{ name: 'a', startDate: first, logs: logsOf(days, first) }], asOf });
    expect(insightsOf('ddddddd mmmmm', '2026-01-17')).toMatchObject([
      { code: 'high_lapse_risk', evidence: { lapse_risk: 0.7368, band: 'high' } },
      { code: 'broken_streak', kind: 'streak', severity: 'warning' },
    ]);
    expect(insightsOf('mdmmmmm'.repeat(4), '2026-02-02')).toContainEqual(
      expect.objectContaining({ code: 'best_weekday', evidence: { weekday: 2, completion_rate: 1, n: 4 } }),
    );
    expect(insightsOf('dddddddddmddd', '2026-01-17')[0]).toMatchObject({
      code: 'high_adherence',
      evidence: { completion_rate: 0.9231, occasions: 13 },
    });
  });

  it('keep only correlations from Free readers', () => {
    const readable = insightsFromLogs(request).map(({ code, free_readable }) => [code, free_readable]);
    expect(readable).toContainEqual(['mood_link', false]);
    const others = readable.filter(([code]) => code !== 'mood_link');
    expect(others.every(([, isReadable]) => isReadable)).toBe(true);
    const withheld = insightsFromLogs({ ...request, correlations: 'withheld' });
    expect(withheld.map(({ code }) => code)).toEqual(others.map(([code]) => code));
  });

  it('come with the analysis as they come alone', () => {
    const together = analyzeLogsWithInsights(request);
    const apart = { analysis: analyzeLogs(request), insights: insightsFromLogs(request) };
    expect(JSON.stringify(together)).toBe(JSON.stringify(apart));
    expect(together.insights.length).toBeGreaterThan(0);
  });
});

describe('no evidence', () => {
  const first = '2026-01-05';
  const asOf = '2026-01-11';

  it.each([
    [{ name: 'fresh', startDate: asOf, logs: [] }, 'Log the first occasion.'],
    [{ name: 'skipped', startDate: '2026-01-10', logs: logsOf('.....s', first) }, 'Log the first occasion.'],
    [{ name: 'running', startDate: first, targetPerWeek: 3, logs: logsOf('dd', first) }, 'Log the rest of this week.'],
  ])('of $name: the action start, and no insight', (habit, action) => {
    const [advice] = recommendFromLogs({ habits: [habit], asOf }).recommendations;
    expect(advice).toMatchObject({ code: 'start', action, rationale: 'No counted occasion yet.', priority: 0 });
    expect(insightsFromLogs({ habits: [habit], asOf })).toEqual([]);
  });

  it('without any habit gives no means, as absent is not zero', () => {
    expect(analyzeLogs({ habits: [], asOf })).toMatchObject({
      aggregate_summary: { habit_count: 0, mean_adherence: null, mean_lapse_risk: null, highest_risk: null },
      habits: [],
      recommendations: [],
    });
  });
});

describe('the engine against a second reading of the rules', () => {
  it.each([
    ['short histories', sized(600, 2_000), { min: 1, max: 24 }, 90],
    ['histories longer than the skip budget looks back', sized(150, 500), { min: 95, max: 190 }, 30],
  ])('agrees on %s', (_, numRuns, days, windowDays) => {
    fc.assert(
      fc.property(aLife(days), (life) => expectAgreement(life, windowDays)),
      { numRuns },
    );
  });

  it('agrees on histories whose owner gave no start date', () => {
    fc.assert(
      fc.property(aLife({ min: 1, max: 40 }), fc.boolean(), (life, created) => {
        const createdOn = created ? life.habit.startDate : undefined;
        expectAgreement({ ...life, habit: { ...life.habit, startDate: undefined, createdOn } }, 90);
      }),
      { numRuns: sized(200, 500) },
    );
  });
});

function expectAgreement({ habit, asOf, weekStart }: Omit<Life, 'habit'> & { habit: HabitHistory }, days: number) {
  const [evaluated] = evaluateHistories({ habits: [habit], asOf, weekStart, windowDays: days });
  const { metrics, record } = evaluated!;
  const literal = literalReading(habit, asOf, days, weekStart);
  const { evidence, occasions, excused, skip_budget_remaining, current_streak, best_streak, streak_unit } = literal;
  const counts = { evidence, occasions, excused, skip_budget_remaining, current_streak, best_streak, streak_unit };
  expect(metrics).toMatchObject(counts);
  expectClose(metrics.completion_rate, literal.completion_rate);
  expectClose(metrics.strength, literal.strength);
  expectClose(metrics.lapse_risk, literal.lapse_risk);
  expectClose(metrics.previous_period?.completion_rate ?? null, literal.previous);
  expect(record.counted.reduce((count, day) => count + day, 0)).toBe(literal.seen.length);

  expectWeekdays(metrics, literal.weekdays);
}

/** By the two-proportion test as the books have it. */
function expectWeekdays(
  { best_weekday: best, worst_weekday: worst }: HabitMetrics,
  weekdays: readonly { n: number; credits: readonly number[] }[],
): void {
  const all = weekdays.flatMap(({ credits }) => credits);
  const p = meanOf(all);
  const differences = weekdays.map(({ n, credits }, at) => {
    const others = weekdays.flatMap((weekday, other) => (other === at ? [] : weekday.credits));
    if (n < 4 || others.length < 12 || p < 1e-9 || p > 1 - 1e-9) return null;
    return (meanOf(credits) - meanOf(others)) / Math.sqrt(p * (1 - p) * (1 / n + 1 / others.length));
  });
  const told = differences.filter((z) => z !== null);
  const at = { best: differences.indexOf(Math.max(...told)), worst: differences.indexOf(Math.min(...told)) };
  const isBest = (differences[at.best] ?? 0) >= 2.69 && meanOf(weekdays[at.best]!.credits) >= 0.5;
  const isWorst = (differences[at.worst] ?? 0) <= -2.69;
  expect([best !== null, worst !== null]).toEqual([isBest, isWorst]);
  // Weekdays of one z tie but for an error of rounding: the earliest is shown.
  if (best) expect(differences[best.weekday - 1]).toBeCloseTo(differences[at.best]!, 8);
  if (worst) expect(differences[worst.weekday - 1]).toBeCloseTo(differences[at.worst]!, 8);
  for (const told of [best, worst]) {
    if (!told) continue;
    expect(told.n).toBe(weekdays[told.weekday - 1]!.n);
    expectClose(told.completion_rate, meanOf(weekdays[told.weekday - 1]!.credits));
  }
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The last printed digit may differ: the two readings add in another order. */
function expectClose(value: number | null, literal: number | null): void {
  if (value === null || literal === null) expect(value).toBe(literal);
  else expect(Math.abs(value - literal)).toBeLessThan(0.000_051);
}
