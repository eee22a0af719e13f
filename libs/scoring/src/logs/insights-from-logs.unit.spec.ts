import fc from 'fast-check';
import { logsOf, moodsOf } from '../examples/calendar.fixture';
import { diary, NINETIETH_DAY, ninetyDays } from '../examples/published.fixture';
import { analyzeLogs, analyzeLogsWithInsights, type HabitHistory, insightsFromLogs, recommendFromLogs } from '../index';
import { aLife, type Life } from '../properties/histories.fixture';
import { evaluateHistories, type HabitMetrics } from './evaluate-histories';
import { literalReading } from './literal-reading.fixture';

describe('insights', () => {
  const first = '2026-01-05';
  const insightsOf = (letters: string, asOf: string, habit: Partial<HabitHistory> = {}) =>
    insightsFromLogs({ habits: [{ name: 'a', startDate: first, logs: logsOf(letters, first), ...habit }], asOf });

  describe('insightsFromLogs', () => {
    it('warns of a broken streak and a high risk, in sentences', () => {
      const insights = insightsOf('ddddddd mmmmm', '2026-01-17');
      expect(insights.map(({ code, kind, severity, title, body }) => [code, kind, severity, title, body])).toEqual([
        ['high_lapse_risk', 'risk', 'warning', 'High lapse risk', 'Lapse risk 74% (high).'],
        ['broken_streak', 'streak', 'warning', 'Broken streak', 'A best streak of 7 days is broken.'],
      ]);
      expect(insights[0]!.evidence).toEqual({ lapse_risk: 0.7368, band: 'high' });
    });

    it('warns of falling energy above the low band only', () => {
      const falling = (letters: string) => {
        const energy = moodsOf('9988776655443', first);
        const logs = logsOf(letters, first).map((log, i) => ({ ...log, energyScore: energy[i]?.moodScore }));
        return insightsOf('', '2026-01-18', { logs }).map(({ code }) => code);
      };
      expect(falling('ddddddddddddd')).toEqual(['strong_streak']);
      expect(falling('ddddddddddddm')).toEqual(['broken_streak', 'falling_energy']);
    });

    it('praises a best weekday only when something was done on it', () => {
      const fourWeeks = (week: string) => insightsOf(week.repeat(4), '2026-02-02');
      expect(fourWeeks('mdmmmmm').find(({ code }) => code === 'best_weekday')).toMatchObject({
        kind: 'schedule',
        severity: 'info',
        body: 'Best on Tuesday: 100% of 4 days.',
        evidence: { weekday: 2, completion_rate: 1, n: 4 },
      });
      expect(fourWeeks('mmmmmmm').map(({ code }) => code)).toEqual(['high_lapse_risk']);
    });

    it('tells high adherence with its occasions', () => {
      expect(insightsOf('dddddddddmddd', '2026-01-17')[0]).toMatchObject({
        code: 'high_adherence',
        body: '92% completed.',
        evidence: { completion_rate: 0.9231, occasions: 13 },
      });
    });
  });

  it('keep only correlations from Free readers', () => {
    const request = { habits: [ninetyDays], otherHabits: [diary], asOf: NINETIETH_DAY };
    const readable = insightsFromLogs(request).map(({ code, free_readable }) => [code, free_readable]);
    expect(readable).toEqual([
      ['strong_streak', true],
      ['mood_link', false],
    ]);
    expect(insightsFromLogs({ ...request, correlations: 'withheld' }).map(({ code }) => code)).toEqual([
      'strong_streak',
    ]);
  });

  it('come with the analysis as they come alone', () => {
    const request = { habits: [ninetyDays, diary], asOf: NINETIETH_DAY };
    const together = analyzeLogsWithInsights(request);
    const apart = { analysis: analyzeLogs(request), insights: insightsFromLogs(request) };
    expect(JSON.stringify(together)).toBe(JSON.stringify(apart));
    expect(together.insights.length).toBeGreaterThan(0);
  });
});

describe('no evidence', () => {
  const first = '2026-01-05';
  const asOf = '2026-01-11';
  const fresh = { name: 'fresh', startDate: asOf, logs: [] };
  const skipped = { name: 'skipped', startDate: '2026-01-10', logs: logsOf('.....s', first) };
  const running = { name: 'running', startDate: first, targetPerWeek: 3, logs: logsOf('dd', first) };

  describe('a habit without a counted occasion', () => {
    it.each([
      [fresh, 'Log the first occasion.'],
      [skipped, 'Log the first occasion.'],
      [running, 'Log the rest of this week.'],
    ])('$name: no risk, no band, the action start', (habit, action) => {
      const { metrics } = analyzeLogs({ habits: [habit], asOf }).habits[0]!;
      expect(metrics).toMatchObject({
        evidence: 'none',
        lapse_risk: null,
        band: null,
        expected_adherence: null,
        drivers: [],
        priority: 0,
        occasions: 0,
        completion_rate: 0,
      });
      expect(recommendFromLogs({ habits: [habit], asOf }).recommendations).toEqual([
        {
          habit: habit.name,
          action,
          rationale: 'No counted occasion yet.',
          priority: 0,
          index: 0,
          code: 'start',
        },
      ]);
      expect(insightsFromLogs({ habits: [habit], asOf })).toEqual([]);
    });
  });

  describe('no habits at all', () => {
    it('gives no means, as absent is not zero, and empty lists', () => {
      const { aggregate_summary, habits, highlights, watchouts, recommendations } = analyzeLogs({ habits: [], asOf });
      expect(aggregate_summary).toEqual({
        habit_count: 0,
        left_out: 0,
        horizon_days: 35,
        mean_adherence: null,
        mean_consistency: null,
        mean_momentum: null,
        mean_lapse_risk: null,
        bands: { low: 0, moderate: 0, high: 0 },
        highest_risk: null,
      });
      expect([habits, highlights, watchouts, recommendations]).toEqual([[], [], [], []]);
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
