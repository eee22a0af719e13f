import { scoreTask, civilDate, dayNumber } from '@evenkeel/scoring';
import { Random } from '@evenkeel/kernel/random';

/** A file of which it is known how it came about. */
export interface MadeFile {
  readonly csv: string;
  /** True chance of the event for each habit or task, on each of its forecasts where it differs between them. */
  readonly truth: ReadonlyMap<string, number | readonly number[]>;
}

/** Equal seeds make equal files. */
export const SAMPLES = {
  /** Tasks that fail exactly as often as the engine says. */
  calibrated: calibratedTasks,
  /** Habits of several kinds, each done on a day with a chance of its own. */
  habits: knownHabits,
  /** Habits that are mostly kept at first, and mostly not in the second half. */
  shift: shiftedHabits,
  /** Habits that are done by the toss of a coin: nothing can be known of them. */
  random: randomHabits,
} as const;

export type Sample = keyof typeof SAMPLES;

const FIRST_DAY = dayNumber('2024-01-01');
const DAYS = 500;

interface MadeHabit {
  readonly name: string;
  readonly perWeek: number;
  /** Chance that it is done on a day, whatever came before. */
  readonly chanceOn: (day: number) => number;
}

/** Twelve habits of each of four kinds, done on a day with a chance between a fifth and more than enough. */
function knownHabits(seed: number): MadeFile {
  const habits = [7, 5, 3, 1].flatMap((perWeek) =>
    Array.from({ length: 12 }, (_, i): MadeHabit => {
      const chance = Math.min(0.98, (perWeek / 7) * (0.2 + i / 10));
      return { name: `${perWeek} a week, number ${i + 1}`, perWeek, chanceOn: () => chance };
    }),
  );
  return made(habits, seed);
}

/** Done on 92 of 100 days in the first half of the time, on 35 in the second. */
function shiftedHabits(seed: number): MadeFile {
  const habits = Array.from({ length: 24 }, (_, i): MadeHabit => {
    return { name: `Habit ${i + 1}`, perWeek: 7, chanceOn: (day) => (day < DAYS / 2 ? 0.92 : 0.35) };
  });
  return made(habits, seed);
}

/** Done on every other day by chance, all of them alike. */
function randomHabits(seed: number): MadeFile {
  const habits = Array.from({ length: 24 }, (_, i): MadeHabit => {
    return { name: `Coin ${i + 1}`, perWeek: 7, chanceOn: () => 0.5 };
  });
  return made(habits, seed);
}

function made(habits: readonly MadeHabit[], seed: number): MadeFile {
  const random = new Random(seed);
  const lines = ['habit,date,value,per_week'];
  for (const { name, perWeek, chanceOn } of habits) {
    for (let day = 0; day < DAYS; day++) {
      const value = random.ratio() < chanceOn(day) ? 'yes' : 'no';
      lines.push(`"${name}",${civilDate(FIRST_DAY + day)},${value},${perWeek}`);
    }
  }
  const truth = new Map(habits.map(({ name, perWeek, chanceOn }) => [name, lapseChance(perWeek, chanceOn(0))]));
  return { csv: `${lines.join('\r\n')}\r\n`, truth };
}

/** Chance that fewer than half of the target are done in seven days, each with the same chance. */
function lapseChance(perWeek: number, chance: number): number {
  let sum = 0;
  let ways = 1;
  for (let done = 0; done < perWeek / 2; done++) {
    sum += ways * chance ** done * (1 - chance) ** (7 - done);
    ways = (ways * (7 - done)) / (done + 1);
  }
  return sum;
}

const TASKS = 60;
const RUNS = 300;
const FIRST_MS = Date.UTC(2025, 0, 1, 6);
const DAY_MS = 86_400_000;

/** Every run fails with the chance that the engine gives it: no forecast could be better calibrated. */
function calibratedTasks(seed: number): MadeFile {
  const random = new Random(seed);
  const lines = ['task,time,ok'];
  const truth = new Map<string, number[]>();
  for (let task = 1; task <= TASKS; task++) {
    const name = `Job ${task}`;
    const chances: number[] = [];
    let passed = 0;
    let streak = 0;
    let best = 0;
    for (let run = 0; run < RUNS; run++) {
      // Of the first run nothing is forecast: tasks begin differently, and stay different for a while.
      const chance = run === 0 ? task / (TASKS + 1) : riskOf(passed, streak, best, run);
      if (run > 0) chances.push(chance);
      const ok = random.ratio() >= chance;
      passed += ok ? 1 : 0;
      streak = ok ? streak + 1 : 0;
      best = Math.max(best, streak);
      lines.push(`${name},${new Date(FIRST_MS + run * DAY_MS).toISOString()},${ok ? 'yes' : 'no'}`);
    }
    truth.set(name, chances);
  }
  return { csv: `${lines.join('\r\n')}\r\n`, truth };
}

function riskOf(passed: number, streak: number, best: number, runs: number): number {
  const summary = { name: '', success_rate: passed / runs, current_streak: streak, best_streak: best, runs };
  return scoreTask(summary).failure_risk;
}
