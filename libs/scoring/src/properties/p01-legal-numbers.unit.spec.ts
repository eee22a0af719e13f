import fc from 'fast-check';
import { analyzeLogs, analyzeReliability, insightsForHabits, planHabits, recommendForHabits } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aLife } from './histories.fixture';
import { aHorizon, FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

/** Counts, days, echoes and ratios; everything else is a score from 0 to 1, or a correlation from -1 to 1. */
const NOT_SCORES = new Set([
  ...['index', 'habit_count', 'task_count', 'left_out', 'horizon_days', 'generated_for_habits', 'n', 'n_eff', 'days'],
  ...['moderate', 'medium', 'current_streak', 'best_streak', 'week', 'start_day', 'target_sessions'],
  ...['day', 'mark', 'runs', 'horizon_runs', 'burn_rate', 'runs_to_recover', 'p95_latency_ms', 'tasks_over_budget'],
  ...['breaches_confirmed', 'provisional_tasks', 'critical_tasks', 'occasions', 'excused', 'skip_budget_remaining'],
  ...['average_mood', 'average_energy', 'average_stress', 'weekday'],
]);
const CORRELATIONS = new Set(['coefficient', 'mood_correlation', 'delta']);
/** Counts of bands and levels, and ends of intervals. */
const COUNTS_OR_ENDS = new Set(['low', 'high']);

describe('P1', () => {
  it('gives finite numbers, no -0, and scores from 0 to 1 with 4 decimals, for every legal list of habits', () => {
    forEachOf(
      fc.tuple(fullOfHabits, aHorizon),
      ([habits, horizon_days]) =>
        isLegal(insightsForHabits({ habits, horizon_days })) &&
        isLegal(recommendForHabits({ habits })) &&
        isLegal(planHabits({ habits, horizon_days })),
      FULL,
    );
  });

  it('gives the same for every legal list of tasks', () => {
    forEachOf(fullOfTasks, (tasks) => isLegal(analyzeReliability({ tasks })), FULL);
  });

  it('gives the same for every history', () => {
    forEachOf(aLife({ min: 1, max: 30 }), ({ habit, asOf, weekStart }) =>
      isLegal(analyzeLogs({ habits: [habit], asOf, weekStart })),
    );
  });
});

function isLegal(value: unknown, member = ''): boolean {
  if (typeof value === 'number') return isLegalNumber(value, member);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isLegal(inner, Array.isArray(value) ? member : name));
}

function isLegalNumber(value: number, member: string): boolean {
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  if (NOT_SCORES.has(member)) return value >= 0;
  if (COUNTS_OR_ENDS.has(member) && Number.isInteger(value)) return value >= -1;
  const fourDecimals = Math.round(value * 1e4) / 1e4 === value;
  return fourDecimals && value <= 1 && value >= (CORRELATIONS.has(member) || COUNTS_OR_ENDS.has(member) ? -1 : 0);
}
