import {
  analyzeHabits,
  lapseRiskFromDays,
  planHabits,
  scoreHabit,
  scoreTask,
  type HabitSummary,
  type TaskSummary,
} from '@evenkeel/scoring';

export interface EngineTiming {
  name: string;
  /** Median of the rounds. */
  nsPerOp: number;
  goalNs: number;
}

const ROUNDS = 9;
const WARM_UP_NS = 300e6;
const ROUND_NS = 100e6;

/** Every answer goes in here, so that no call can be optimised away. */
const sink = { total: 0 };

/** One row per step of the engine, about 10 s in all. */
export async function benchEngine(): Promise<EngineTiming[]> {
  const habits = Array.from({ length: 25 }, (_, i) => aHabit(i));
  const tasks = Array.from({ length: 25 }, (_, i) => aTask(i));
  const body = JSON.stringify({ habits });
  const credit = Float64Array.from({ length: 365 }, (_, day) => (day % 7 === 6 || day % 11 === 3 ? 0 : 1));
  const counted = new Uint8Array(365).fill(1);

  const steps: readonly [name: string, goalNs: number, call: (turn: number) => number][] = [
    ['one habit, all scores', 150, (turn) => scoreHabit(habits[turn % 25]!).priority],
    ['one task, all scores', 250, (turn) => scoreTask(tasks[turn % 25]!).priority],
    ['analyze, 25 items, objects in and out', 15_000, () => analyzeHabits({ habits }).recommendations.length],
    [
      'the same with JSON.parse and JSON.stringify',
      80_000,
      () => JSON.stringify(analyzeHabits(JSON.parse(body) as { habits: HabitSummary[] })).length,
    ],
    [
      'plan, 26 weeks, one habit',
      3_000,
      (turn) => planHabits({ habits: [habits[turn % 25]!], horizon_days: 180 }).plan.length,
    ],
    ['risk from 365 days of logs', 3_000, () => lapseRiskFromDays(credit, counted, 1).risk],
  ];
  const timings: EngineTiming[] = [];
  for (const [name, goalNs, call] of steps) {
    timings.push({ name, nsPerOp: medianNs(call), goalNs });
    // Timers and signals of the program get their turn between two rows.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return timings;
}

function medianNs(call: (turn: number) => number): number {
  let turns = 1;
  let warmNs = 0;
  let perTurnNs = 0;
  while (warmNs < WARM_UP_NS) {
    const ns = run(call, turns);
    warmNs += ns;
    perTurnNs = ns / turns;
    turns *= 2;
  }
  const perRound = Math.max(1, Math.round(ROUND_NS / perTurnNs));
  const rounds = Array.from({ length: ROUNDS }, () => run(call, perRound) / perRound);
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

/** @returns CPU time, not wall time: what other programs of a busy machine take is not ours */
function run(call: (turn: number) => number, turns: number): number {
  const start = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) sink.total += call(turn);
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1_000;
}

function aHabit(i: number): HabitSummary {
  return {
    name: `Habit number ${i}`,
    completion_rate: ((i * 37) % 100) / 100,
    current_streak: i % 7,
    best_streak: i + 3,
    average_mood: 3 + (i % 6),
    mood_correlation: (i % 9) / 10,
    energy_trend: (['rising', 'stable', 'falling'] as const)[i % 3],
    risk_score: i % 2 ? 0.3 : undefined,
  };
}

function aTask(i: number): TaskSummary {
  return {
    name: `task-${i}`,
    success_rate: 1 - (i % 12) / 100,
    current_streak: i % 5,
    best_streak: 30 + i,
    runs: i % 4 ? 20 + 17 * i : undefined,
    latency_trend: (['rising', 'stable', 'falling'] as const)[i % 3],
    p95_latency_ms: 100 * i,
    cadence: (['hourly', 'daily', 'weekly'] as const)[i % 3],
    critical: i % 2 === 0,
  };
}
