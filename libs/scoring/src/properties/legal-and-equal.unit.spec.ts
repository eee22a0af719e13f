import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  analyzeLogs,
  analyzeReliability,
  type HabitsRequest,
  insightsForHabits,
  planHabits,
  recommendForHabits,
} from '../index';
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

describe('S1', () => {
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

const ofHabits = (request: HabitsRequest) => [
  insightsForHabits(request),
  recommendForHabits(request),
  planHabits(request),
];

describe('S2', () => {
  it('mutates no habits, and gives equal bytes for equal input and for its JSON round trip', () => {
    forEachOf(
      fc.record({ habits: fullOfHabits, horizon_days: aHorizon }),
      (request) => isRepeatable(ofHabits, request),
      FULL,
    );
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
