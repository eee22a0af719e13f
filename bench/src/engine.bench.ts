import {
  analyzeHabits,
  analyzeLogs,
  lapseRiskFromDays,
  planHabits,
  scoreHabit,
  scoreTask,
  type HabitsRequest,
} from '@evenkeel/scoring';
import { median } from './compare/compare';
import { aHabit, asParsed, aTask, aYear, fiveYears, LAST_OF_FIVE_YEARS, packed, someOf } from './engine-inputs';

export interface EngineTiming {
  name: string;
  /** Median of the rounds. */
  nsPerOp: number;
  /** Against JSON alone, median of the rounds: what can be compared between machines. */
  jsonRatio: number;
  /** On the machine of the design; null where none was set, and for JSON alone, which is none of our work. */
  goalNs: number | null;
}

interface Step {
  name: string;
  goalNs: number | null;
  call: (turn: number) => unknown;
}

const ROUNDS = 9;
const REQUESTS = 8;
const WARM_UPS = 2;
const WARM_UP_NS = 300e6;
const ROUND_NS = 100e6;

/** Each answer is kept whole until the next one, so that no part of a call can be optimised away. */
const sink: { answer: unknown } = { answer: undefined };

/**
 * One row per step of the engine, about 10 s in all. All steps are warm before the first is timed, and each round times
 * all of them: as in a service, code is compiled for what all callers do with it.
 */
export async function benchEngine(): Promise<EngineTiming[]> {
  const timed = stepsOfEngine().map((step) => ({ ...step, turns: 0, rounds: [] as number[] }));
  for (let pass = 0; pass < WARM_UPS; pass++) for (const step of timed) step.turns = warmUp(step.call);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, turns, rounds } of timed) rounds.push(run(call, turns) / turns);
    // Timers and signals of the program get their turn between two rounds.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const json = timed.at(-1)!.rounds;
  return timed.map(({ name, goalNs, rounds }) => {
    const jsonRatio = median(rounds.map((ns, round) => ns / json[round]!));
    return { name, goalNs, nsPerOp: median(rounds), jsonRatio };
  });
}

/** JSON alone comes last. */
function stepsOfEngine(): Step[] {
  const requests = Array.from({ length: REQUESTS }, (_, n) =>
    asParsed({ habits: someOf(25, (i) => aHabit(25 * n + i)) }),
  );
  const bodies = requests.map((request) => JSON.stringify(request));
  const answers = requests.map((request) => asParsed(analyzeHabits(request)));
  const habits = requests.flatMap((request) => request.habits);
  const tasks = asParsed(someOf(habits.length, aTask));
  const years = someOf(REQUESTS, aYear);
  const counted = new Uint8Array(365).fill(1);
  const histories = asParsed(someOf(25, fiveYears));
  const packedHistories = histories.map(packed);
  const habitOf = (turn: number) => habits[turn % habits.length]!;

  return [
    { name: 'one habit, all scores', goalNs: 150, call: (turn) => scoreHabit(habitOf(turn)) },
    { name: 'one task, all scores', goalNs: 250, call: (turn) => scoreTask(tasks[turn % tasks.length]!) },
    {
      name: 'analyze, 25 items, objects in and out',
      goalNs: 15_000,
      call: (turn) => analyzeHabits(requests[turn % REQUESTS]!),
    },
    {
      name: 'the same with JSON.parse and JSON.stringify',
      goalNs: 80_000,
      call: (turn) => JSON.stringify(analyzeHabits(JSON.parse(bodies[turn % REQUESTS]!) as HabitsRequest)),
    },
    {
      name: 'plan, 26 weeks, one habit',
      goalNs: 3_000,
      call: (turn) => planHabits({ habits: [habitOf(turn)], horizon_days: 180 }),
    },
    {
      name: 'risk from 365 days of logs',
      goalNs: 3_000,
      call: (turn) => lapseRiskFromDays(years[turn % REQUESTS]!, counted),
    },
    {
      name: '25 habits from five years of logs',
      goalNs: null,
      call: () => analyzeLogs({ habits: histories, asOf: LAST_OF_FIVE_YEARS }),
    },
    {
      name: 'the same logs packed',
      goalNs: null,
      call: () => analyzeLogs({ habits: packedHistories, asOf: LAST_OF_FIVE_YEARS }),
    },
    {
      name: 'JSON.parse and JSON.stringify alone',
      goalNs: null,
      call: (turn) => [JSON.parse(bodies[turn % REQUESTS]!) as unknown, JSON.stringify(answers[turn % REQUESTS])],
    },
  ];
}

/** @returns turns that take about one round */
function warmUp(call: Step['call']): number {
  let turns = 1;
  let warmNs = 0;
  let perTurnNs = 0;
  while (warmNs < WARM_UP_NS) {
    const ns = run(call, turns);
    warmNs += ns;
    perTurnNs = ns / turns;
    turns *= 2;
  }
  return Math.max(1, Math.round(ROUND_NS / perTurnNs));
}

/** @returns CPU time, not wall time: what other programs of a busy machine take is not ours */
function run(call: Step['call'], turns: number): number {
  const start = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) sink.answer = call(turn);
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1_000;
}
