import fc from 'fast-check';
import {
  analyzeLogs,
  type AnyHistory,
  civilDate,
  dayNumber,
  type HabitHistory,
  habitStats,
  type HistoriesRequest,
  insightsFromLogs,
  lapseRiskEachMorning,
  planFromLogs,
  recommendFromLogs,
  type WeekStart,
} from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aLife, packedHistory } from './histories.fixture';

const START = ['given', 'of creation', 'of the earliest log'] as const;
const aRate = fc.integer({ min: 0, max: 10_000 }).map((tenThousandths) => Number((tenThousandths / 1e4).toFixed(4)));

interface Request extends HistoriesRequest<HabitHistory> {
  readonly otherHabits: readonly HabitHistory[];
  readonly weekStart: WeekStart;
}

/** Histories with rates of any four decimals, repeated logs, and habits that are not asked about. */
const aRequest: fc.Arbitrary<Request> = fc
  .record({
    lives: fc.array(aLife({ min: 1, max: 40 }), { minLength: 1, maxLength: 4, size: 'max' }),
    rates: fc.array(aRate, { minLength: 1, maxLength: 8 }),
    repeated: fc.nat(6),
    start: fc.constantFrom(...START),
    others: fc.boolean(),
    inOrder: fc.boolean(),
    windowDays: fc.integer({ min: 7, max: 365 }),
    correlations: fc.constantFrom('shown', 'withheld', undefined),
  })
  .map(({ lives, rates, repeated, start, others, inOrder, windowDays, correlations }) => {
    const habits = lives.map(({ habit }): HabitHistory => {
      const logs = habit.logs.map((log, i) =>
        log.status === 'PARTIAL' && i % 2 === 0 ? { ...log, completionRate: rates[i % rates.length] } : log,
      );
      return {
        ...habit,
        startDate: start === 'given' ? habit.startDate : undefined,
        createdOn: start === 'of creation' ? habit.startDate : undefined,
        logs: inOrder
          ? logs.sort((a, b) => (a.localDate < b.localDate ? -1 : 1))
          : [...logs, ...logs.slice(0, repeated)],
      };
    });
    const asked = others ? Math.ceil(habits.length / 2) : habits.length;
    const { asOf, weekStart } = lives[0]!;
    const otherHabits = habits.slice(asked);
    return { habits: habits.slice(0, asked), otherHabits, asOf, weekStart, windowDays, correlations };
  });

describe('packed logs', () => {
  it('give the same bytes as the same logs in objects, from every function that takes logs', () => {
    forEachOf(aRequest, (request) => {
      const { habits, otherHabits, ...rest } = request;
      const packed = { ...rest, habits: habits.map(packedHistory), otherHabits: otherHabits.map(packedHistory) };
      return answers(packed, request.weekStart) === answers(request, request.weekStart);
    });
  });

  it('are refused when their arrays have different lengths', () => {
    const { packed, ...terms } = packedHistory({
      name: 'Run',
      logs: [{ localDate: '2026-01-05', status: 'COMPLETED' }],
    });
    for (const member of Object.keys(packed) as (keyof typeof packed)[]) {
      const short = { ...terms, packed: { ...packed, [member]: packed[member].subarray(1) } };
      expect(() => habitStats(short, '2026-01-06')).toThrow(RangeError);
    }
  });
});

function answers(request: HistoriesRequest<AnyHistory>, weekStart: WeekStart): string {
  return JSON.stringify([
    analyzeLogs(request),
    insightsFromLogs(request),
    planFromLogs(request),
    recommendFromLogs(request),
    request.habits.map((habit) => habitStats(habit, request.asOf, weekStart)),
  ]);
}

describe('lapseRiskEachMorning', () => {
  it.each([
    ['on each morning', { min: 3, max: 60 }, -Infinity],
    ['on the last one, where skips run out of their budget', { min: 100, max: 150 }, -1],
  ])('is the risk of analyzeLogs as it was %s', (_, days, from) => {
    fc.assert(
      fc.property(aLife(days), ({ habit, asOf, weekStart }) => {
        const risks = lapseRiskEachMorning(habit, asOf, weekStart);
        expect(risks).toHaveLength(Math.max(0, dayNumber(asOf) - dayNumber(habit.startDate) + 1));
        risks.forEach((risk, day) => {
          if (day < risks.length + from) return;
          const morning = civilDate(dayNumber(habit.startDate) + day);
          const seen = { ...habit, logs: habit.logs.filter(({ localDate }) => localDate < morning) };
          expect(analyzeLogs({ habits: [seen], asOf: morning, weekStart }).habits[0]!.metrics.lapse_risk).toBe(risk);
        });
      }),
      { numRuns: sized(200, 1_000) },
    );
  });
});
