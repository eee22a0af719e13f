import {
  analyzeHabits,
  type HabitsRequest,
  type HabitSummary,
  lapseRiskFromDays,
  planHabits,
  scoreHabit,
  scoreTask,
  type TaskSummary,
} from '@evenkeel/scoring';
import { median } from '../load/load';
import { type Figures, rounded, table } from '../report';

type Step = (turn: number) => unknown;

const ROUNDS = 9;
const REQUESTS = 8;
const ITEMS = 25;
const WARM_UP_NS = 300e6;
const ROUND_NS = 100e6;

/** Each answer is kept whole until the next one, so that no part of a call can be optimised away. */
const sink: { answer: unknown } = { answer: undefined };

/**
 * The steps of the engine, about 10 s in all. All are warm before the first is timed, and each round times all of them: as in a
 * service, code is compiled for what all callers do with it. Beside them JSON alone, against which machines can be compared.
 */
export async function benchEngine(): Promise<Figures> {
  const timed = Object.entries(stepsOfEngine()).map(([name, call]) => ({ name, call, turns: 0, ns: [] as number[] }));
  for (let pass = 0; pass < 2; pass++) for (const step of timed) step.turns = warmUp(step.call);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, turns, ns } of timed) ns.push(run(call, turns) / turns);
    // Timers and signals of the program get their turn between two rounds.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const json = timed.at(-1)!.ns;
  const ratioOf = (ns: readonly number[]) => median(ns.map((one, round) => one / json[round]!));
  const lines = timed.map(({ name, ns }) => [name, median(ns).toFixed(0), rounded(ratioOf(ns))]);
  console.log(`\n${table(['engine', 'ns', 'x JSON'], lines)}`);
  return Object.fromEntries(timed.map(({ name, ns }) => [`engine, ${name}: x JSON`, ratioOf(ns)]));
}

/** JSON alone comes last. */
function stepsOfEngine(): Record<string, Step> {
  const requests = someOf(REQUESTS, (n) => asParsed({ habits: someOf(ITEMS, (i) => aHabit(ITEMS * n + i)) }));
  const bodies = requests.map((request) => JSON.stringify(request));
  const answers = requests.map((request) => asParsed(analyzeHabits(request)));
  const habits = requests.flatMap((request) => request.habits);
  const tasks = asParsed(someOf(habits.length, aTask));
  const years = someOf(REQUESTS, aYear);
  const planned = new Uint8Array(365).fill(1);
  const habitOf = (turn: number) => habits[turn % habits.length]!;
  const parsed = (turn: number) => JSON.parse(bodies[turn % REQUESTS]!) as HabitsRequest;

  return {
    'one habit, all scores': (turn) => scoreHabit(habitOf(turn)),
    'one task, all scores': (turn) => scoreTask(tasks[turn % tasks.length]!),
    'analyze, 25 items': (turn) => analyzeHabits(requests[turn % REQUESTS]!),
    'the same from JSON to JSON': (turn) => JSON.stringify(analyzeHabits(parsed(turn))),
    'plan, 26 weeks, one habit': (turn) => planHabits({ habits: [habitOf(turn)], horizon_days: 180 }),
    'risk from 365 days of logs': (turn) => lapseRiskFromDays(years[turn % REQUESTS]!, planned),
    'JSON alone': (turn) => [parsed(turn), JSON.stringify(answers[turn % REQUESTS])],
  };
}

/** @returns turns that take about one round */
function warmUp(call: Step): number {
  let [turns, perTurnNs] = [1, 0];
  for (let warmNs = 0; warmNs < WARM_UP_NS; turns *= 2) {
    const ns = run(call, turns);
    warmNs += ns;
    perTurnNs = ns / turns;
  }
  return Math.max(1, Math.round(ROUND_NS / perTurnNs));
}

/** @returns CPU time, not wall time: what other programs of a busy machine take is not ours */
function run(call: Step, turns: number): number {
  const start = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) sink.answer = call(turn);
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1_000;
}

/** Objects as a service has them, from JSON: what is absent is no member. */
function asParsed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function someOf<Item>(count: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

/** Credit of each day. */
function aYear(i: number): Float64Array {
  return Float64Array.from({ length: 365 }, (_, day) => (day % 7 === 6 || (day + i) % 11 === 3 ? 0 : 1));
}

const TRENDS = ['rising', 'stable', 'falling'] as const;

function aHabit(i: number): HabitSummary {
  return {
    name: `Habit number ${i}`,
    completion_rate: ((i * 37) % 101) / 100,
    current_streak: i % 7,
    best_streak: (i % 40) + 3,
    average_mood: 3 + (i % 6),
    mood_correlation: (i % 9) / 10,
    energy_trend: TRENDS[i % 3],
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
    latency_trend: TRENDS[i % 3],
    p95_latency_ms: 100 * i,
    cadence: (['hourly', 'daily', 'weekly'] as const)[i % 3],
    critical: i % 2 === 0,
  };
}
