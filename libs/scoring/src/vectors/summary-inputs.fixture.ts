import { morningRun, readTwentyMinutes } from '../examples/published.fixture';
import type { HabitsRequest, HabitSummary, PlanRequest, ReliabilityRequest, TaskSummary } from '../index';

/** Numbers that look random and are the same for ever: a linear congruential generator (Numerical Recipes). */
export class Chance {
  constructor(private state: number) {}

  /** 0 to below 1. */
  ratio(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }

  /** 0 to below `count`. */
  upTo(count: number): number {
    return Math.floor(this.ratio() * count);
  }

  oneOf<Value>(values: readonly Value[]): Value {
    return values[this.upTo(values.length)]!;
  }

  /** Absent in about half of the cases. */
  maybe<Value>(make: () => Value): Value | undefined {
    return this.ratio() < 0.5 ? make() : undefined;
  }
}

export type Named<Input> = Readonly<Record<string, Input>>;

const aHabit: HabitSummary = { name: 'Walk', completion_rate: 0.75, current_streak: 5, best_streak: 21 };
const aTask: TaskSummary = { name: 'sync', success_rate: 0.97, current_streak: 12, best_streak: 40, runs: 100 };
const NAMES = ['Walk', 'walk', 'Écrire', '__proto__', '', 'a"b\\c', 'Lesen', 'Trink 💧'];

function hundredths(chance: Chance): number {
  return chance.upTo(101) / 100;
}

function habits(seed: number, count: number): HabitSummary[] {
  const chance = new Chance(seed);
  return Array.from({ length: count }, () => ({
    name: chance.oneOf(NAMES),
    completion_rate: chance.oneOf([hundredths(chance), chance.ratio()]),
    current_streak: chance.oneOf([0, chance.upTo(12), chance.upTo(200)]),
    best_streak: chance.upTo(60),
    average_mood: chance.maybe(() => 1 + chance.upTo(91) / 10),
    mood_correlation: chance.maybe(() => chance.upTo(201) / 100 - 1),
    energy_trend: chance.maybe(() => chance.oneOf(['rising', 'stable', 'falling'] as const)),
    risk_score: chance.maybe(() => hundredths(chance)),
  }));
}

function tasks(seed: number, count: number): TaskSummary[] {
  const chance = new Chance(seed);
  return Array.from({ length: count }, () => ({
    name: chance.oneOf(NAMES),
    success_rate: chance.oneOf([1, 1 - chance.upTo(200) / 1_000, chance.ratio()]),
    current_streak: chance.oneOf([0, chance.upTo(12), chance.upTo(400)]),
    best_streak: chance.upTo(400),
    runs: chance.maybe(() => chance.oneOf([chance.upTo(12), chance.upTo(5_000)])),
    latency_trend: chance.maybe(() => chance.oneOf(['rising', 'stable', 'falling'] as const)),
    p95_latency_ms: chance.maybe(() => chance.upTo(500_000)),
    risk_score: chance.maybe(() => hundredths(chance)),
    cadence: chance.maybe(() => chance.oneOf(['continuous', 'hourly', 'daily', 'weekly', 'ad_hoc'] as const)),
    critical: chance.maybe(() => chance.ratio() < 0.5),
  }));
}

export const habitRequests: Named<HabitsRequest> = {
  'published example': { habits: [morningRun, readTwentyMinutes] },
  'worked example: long streak lost': {
    habits: [{ ...aHabit, completion_rate: 0.97, current_streak: 0, best_streak: 41 }],
  },
  'worked example: mood and energy': {
    habits: [{ ...aHabit, average_mood: 3.5, mood_correlation: 0.6, energy_trend: 'falling' }],
  },
  'worked example: caller prior': { habits: [{ ...aHabit, risk_score: 0.7 }] },
  'stale best streak': { habits: [{ ...aHabit, completion_rate: 0.2, current_streak: 8, best_streak: 3 }] },
  'ends of all ranges': {
    habits: [
      { ...aHabit, completion_rate: 0, current_streak: 0, best_streak: 0, risk_score: 1, average_mood: 1 },
      { ...aHabit, completion_rate: 1, current_streak: 2_147_483_647, best_streak: 2_147_483_647, risk_score: 0 },
      { ...aHabit, completion_rate: 1e-12, mood_correlation: -1, average_mood: 10 },
    ],
    horizon_days: 180,
  },
  'ties of priority and name': {
    habits: [aHabit, { ...aHabit, average_mood: 5.5 }, { ...aHabit, energy_trend: 'stable' }, aHabit],
    horizon_days: 7,
  },
  'mood follows completion over ten habits': {
    habits: Array.from({ length: 10 }, (_, i) => ({ ...aHabit, completion_rate: i / 10, average_mood: 1 + 0.9 * i })),
  },
  'three habits': { habits: habits(3, 3), horizon_days: 60 },
  'twenty-five habits': { habits: habits(25, 25), horizon_days: 90 },
  'twenty-five other habits': { habits: habits(1_948, 25) },
};

export const planRequests: Named<PlanRequest> = {
  'published example': { habit: morningRun },
  'worked example: half done': { habits: [{ name: 'Walk', completion_rate: 0.55, current_streak: 2, best_streak: 9 }] },
  'worked example: short last week': {
    habits: [{ name: 'Walk', completion_rate: 0.88, current_streak: 14, best_streak: 30 }],
    horizon_days: 30,
  },
  'longest single form': { habit: readTwentyMinutes, horizon_days: 60 },
  'every milestone': { habits: [{ ...aHabit, current_streak: 0 }], horizon_days: 180 },
  'eight habits': { habits: habits(8, 8), horizon_days: 100 },
};

export const reliabilityRequests: Named<ReliabilityRequest> = {
  'published example': {
    system: 'warehouse',
    tasks: [
      {
        name: 'nightly-backup',
        success_rate: 0.93,
        current_streak: 4,
        best_streak: 38,
        runs: 90,
        latency_trend: 'rising',
        p95_latency_ms: 412_000,
        cadence: 'daily',
        critical: true,
      },
      {
        name: 'hourly-sync',
        success_rate: 0.999,
        current_streak: 310,
        best_streak: 310,
        runs: 720,
        latency_trend: 'stable',
        cadence: 'hourly',
      },
      { name: 'weekly-report', success_rate: 0.75, current_streak: 1, best_streak: 3, runs: 4, cadence: 'weekly' },
    ],
  },
  'worked example: no runs given': {
    tasks: [
      {
        ...aTask,
        success_rate: 0.999,
        current_streak: 700,
        best_streak: 2_500,
        runs: undefined,
        cadence: 'continuous',
      },
    ],
  },
  'worked example: prior and few runs': {
    tasks: [{ ...aTask, success_rate: 0.6, current_streak: 1, best_streak: 2, runs: 5, risk_score: 0.9 }],
  },
  'no runs at all': { tasks: [{ ...aTask, success_rate: 0, current_streak: 0, best_streak: 0, runs: 0 }] },
  'budget used exactly': { tasks: [{ ...aTask, success_rate: 0.99, cadence: 'daily' }] },
  'recovery after a whole number of runs': {
    tasks: [{ ...aTask, success_rate: 16 / 17, current_streak: 0, best_streak: 16, runs: 17 }],
  },
  'nine runs and ten': {
    tasks: [9, 10].map((runs) => ({ ...aTask, success_rate: 0, current_streak: 0, runs, critical: true })),
  },
  'ends of all ranges': {
    tasks: [
      {
        ...aTask,
        success_rate: 1,
        current_streak: 2_147_483_647,
        runs: 2_147_483_647,
        p95_latency_ms: 1e12,
        latency_trend: 'rising',
      },
      { ...aTask, success_rate: 0, current_streak: 0, risk_score: 1, cadence: 'continuous', critical: true },
    ],
  },
  'twenty-five tasks': { system: 'fleet', tasks: tasks(25, 25) },
  'twenty-five other tasks': { tasks: tasks(1_963, 25) },
};
