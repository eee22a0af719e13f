import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  analyzeHabits,
  analyzeLogs,
  analyzeReliability,
  type HabitsRequest,
  insightsForHabits,
  planHabits,
  recommendForHabits,
  scoreHabit,
} from '../index';
import { weeklyTargets } from '../plan/plan-habit';
import { forEachOf } from './for-each-of.fixture';
import { aLife } from './histories.fixture';
import { aHabit, aHorizon, aRatio, FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

/** Counts, days, echoes and ratios; everything else is a score from 0 to 1, or a correlation from -1 to 1. */
const NOT_SCORES = new Set([
  'index',
  'habit_count',
  'task_count',
  'left_out',
  'horizon_days',
  'generated_for_habits',
  'n',
  'n_eff',
  'days',
  'moderate',
  'medium',
  'current_streak',
  'best_streak',
  'week',
  'start_day',
  'target_sessions',
  'day',
  'mark',
  'runs',
  'horizon_runs',
  'burn_rate',
  'runs_to_recover',
  'p95_latency_ms',
  'tasks_over_budget',
  'breaches_confirmed',
  'provisional_tasks',
  'critical_tasks',
  'occasions',
  'excused',
  'skip_budget_remaining',
  'average_mood',
  'average_energy',
  'average_stress',
  'weekday',
]);
const CORRELATIONS = new Set(['coefficient', 'mood_correlation', 'delta']);
/** Counts of bands and levels, and ends of intervals. */
const COUNTS_OR_ENDS = new Set(['low', 'high']);

const aRequest = fc.record({ habits: fullOfHabits, horizon_days: aHorizon });
const ofHabits = (of: HabitsRequest) => [insightsForHabits(of), recommendForHabits(of), planHabits(of)];

describe('S1', () => {
  it('gives finite numbers, no -0, and scores from 0 to 1 with 4 decimals, for every legal list of habits', () => {
    forEachOf(aRequest, (request) => ofHabits(request).every((answer) => isLegal(answer)), FULL);
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

describe('S2', () => {
  it('mutates no habits, and gives equal bytes for equal input and for its JSON round trip', () => {
    forEachOf(aRequest, (request) => isRepeatable(ofHabits, request), FULL);
  });

  it('mutates no tasks, and gives equal bytes', () => {
    forEachOf(fc.record({ tasks: fullOfTasks }), (request) => isRepeatable(analyzeReliability, request), FULL);
  });

  it('mutates no history, and gives equal bytes', () => {
    forEachOf(
      fc.array(aLife({ min: 1, max: 10 }), { minLength: FULL, maxLength: FULL, size: 'max' }),
      ([first, ...others]) => {
        const request = { ...first!, habits: [first!, ...others].map(({ habit }) => habit) };
        return isRepeatable(analyzeLogs, request);
      },
      FULL,
    );
  });
});

/** A frozen input makes any write throw. */
function isRepeatable<Request>(run: (request: Request) => unknown, request: Request): boolean {
  const sent = JSON.stringify(request);
  const bytes = JSON.stringify(run(frozen(request)));
  return bytes === JSON.stringify(run(request)) && bytes === JSON.stringify(run(JSON.parse(sent) as Request));
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const run = promisify(execFile);
const PLACES = [
  { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LC_ALL: 'de_CH.UTF-8', LANG: 'de_CH.UTF-8', LANGUAGE: 'de' },
];

describe('S14', () => {
  it('gives the same bytes in processes of other time zones and locales', async () => {
    const digests = await Promise.all(PLACES.map(digestIn));
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests)).toEqual(new Set([digests[0]]));
  }, 60_000);
});

async function digestIn(place: NodeJS.ProcessEnv): Promise<string> {
  const program = join(__dirname, 'print-digest.fixture.ts');
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const { stdout } = await run(process.execPath, [...flags, program], { env: { ...process.env, ...place } });
  return stdout;
}

const anOrder = fc.shuffledSubarray([...Array(FULL).keys()], { minLength: FULL, maxLength: FULL });

describe('S12', () => {
  it('gives identical aggregates and lists of texts for shuffled habits', () => {
    forEachOf(
      fc.tuple(fullOfHabits, anOrder),
      ([habits, order]) => {
        const shuffled = order.map((index) => habits[index]!);
        return texts(habits) === texts(shuffled);

        function texts(list: typeof habits): string {
          const { aggregate_summary, patterns, correlations, ...lists } = insightsForHabits({ habits: list });
          const across = [patterns, correlations].map((found) => found.filter(({ index }) => index === null));
          const { highlights, watchouts, recommendations } = lists;
          const aggregates = { ...aggregate_summary, per_habit: [] };
          return JSON.stringify([aggregates, highlights, watchouts, recommendations, across]);
        }
      },
      FULL,
    );
  });

  it('gives identical summaries and watchouts for shuffled tasks', () => {
    forEachOf(
      fc.tuple(fullOfTasks, anOrder),
      ([tasks, order]) => {
        const a = analyzeReliability({ tasks });
        const b = analyzeReliability({ tasks: order.map((index) => tasks[index]!) });
        const ranked = ({ recommendations }: typeof a) => recommendations.map((entry) => ({ ...entry, index: 0 }));
        return (
          JSON.stringify([a.summary, a.watchouts, ranked(a)]) === JSON.stringify([b.summary, b.watchouts, ranked(b)])
        );
      },
      FULL,
    );
  });

  it('scores an item the same alone and among others', () => {
    forEachOf(
      fc.tuple(fullOfHabits, fullOfTasks),
      ([habits, tasks]) => {
        const { per_habit } = analyzeHabits({ habits }).aggregate_summary;
        const { plan } = planHabits({ habits });
        const { assessments } = analyzeReliability({ tasks });
        return habits.every((habit, index) => {
          const alone = analyzeHabits({ habits: [habit] }).aggregate_summary.per_habit[0]!;
          const planned = planHabits({ habits: [habit] }).plan[0]!;
          const assessed = analyzeReliability({ tasks: [tasks[index]!] }).assessments[0]!;
          return (
            JSON.stringify({ ...alone, index }) === JSON.stringify(per_habit[index]) &&
            JSON.stringify({ ...planned, index }) === JSON.stringify(plan[index]) &&
            JSON.stringify({ ...assessed, index }) === JSON.stringify(assessments[index]) &&
            scoreHabit(habit).lapseRisk === alone.lapse_risk
          );
        });
      },
      FULL,
    );
  });
});

const aTarget = fc.integer({ min: 1, max: 14 });
const LONGEST_PLAN_WEEKS = 26;

describe('S13', () => {
  it('plans every week of the horizon; full weeks do not depend on its length', () => {
    forEachOf(fc.tuple(aHabit, aHorizon, aHorizon), ([habit, a, b]) => {
      const shorter = planHabits({ habits: [habit], horizon_days: Math.min(a, b) }).plan[0]!;
      const longer = planHabits({ habits: [habit], horizon_days: Math.max(a, b) }).plan[0]!;
      const full = shorter.weeks.filter(({ days }) => days === 7);
      return (
        shorter.weeks.length === Math.ceil(Math.min(a, b) / 7) &&
        shorter.weeks.reduce((days, week) => days + week.days, 0) === Math.min(a, b) &&
        JSON.stringify(full) === JSON.stringify(longer.weeks.slice(0, full.length)) &&
        shorter.weeks.every(({ target_sessions }) => target_sessions >= 1 && target_sessions <= 7)
      );
    });
  });

  it('never lowers rates and sessions from week to week, and raises sessions gently', () => {
    forEachOf(fc.tuple(aRatio, aRatio, aTarget), ([rate, risk, target]) => {
      const weeks = weeklyTargets(rate, risk, target, LONGEST_PLAN_WEEKS);
      const steepest = target > 9 ? 2 : 1;
      return weeks.every(({ rate: reached, sessions }, i) => {
        const before = weeks[i - 1] ?? { rate: reached, sessions };
        return (
          Number.isInteger(sessions) &&
          sessions >= 1 &&
          sessions <= target &&
          reached >= before.rate &&
          sessions >= before.sessions &&
          sessions - before.sessions <= steepest
        );
      });
    });
  });

  it('never gives a lower target for a better completion rate, nor a higher one for a higher risk', () => {
    forEachOf(fc.tuple(aRatio, aRatio, aRatio, aRatio, aTarget), ([c1, c2, r1, r2, target]) => {
      const plan = (rate: number, risk: number) => weeklyTargets(rate, risk, target, LONGEST_PLAN_WEEKS);
      const worse = plan(Math.min(c1, c2), r1);
      const better = plan(Math.max(c1, c2), r1);
      const safer = plan(c1, Math.min(r1, r2));
      const riskier = plan(c1, Math.max(r1, r2));
      return worse.every(
        (_, i) =>
          better[i]!.rate >= worse[i]!.rate &&
          better[i]!.sessions >= worse[i]!.sessions &&
          riskier[i]!.rate <= safer[i]!.rate &&
          riskier[i]!.sessions <= safer[i]!.sessions,
      );
    });
  });
});
