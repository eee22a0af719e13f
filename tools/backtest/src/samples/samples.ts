import { scoreTask, civilDate, dayNumber } from '@evenkeel/scoring';
import { Random } from '@evenkeel/kernel/random';

interface MadeFile {
  readonly csv: string;
  /** True chance of the event for each task, on each of its forecasts. */
  readonly truth: ReadonlyMap<string, readonly number[]>;
}

/** Equal seeds make equal files. */
export const SAMPLES = {
  /** Tasks that fail exactly as often as the engine says. */
  calibrated: calibratedTasks,
  /** Habits of several kinds, each done on a day with a chance of its own, between a fifth and more than enough. */
  habits: (seed: number) =>
    madeHabits(
      [7, 5, 3, 1].flatMap((perWeek) =>
        Array.from({ length: 12 }, (_, i) => {
          const chance = Math.min(0.98, (perWeek / 7) * (0.2 + i / 10));
          return { name: `${perWeek} a week, number ${i + 1}`, perWeek, chance };
        }),
      ),
      seed,
    ),
  /** Habits that are done by the toss of a coin: nothing can be known of them. */
  random: (seed: number) =>
    madeHabits(
      Array.from({ length: 24 }, (_, i) => ({ name: `Coin ${i + 1}`, perWeek: 7, chance: 0.5 })),
      seed,
    ),
} as const;

export type Sample = keyof typeof SAMPLES;

const FIRST_DAY = dayNumber('2024-01-01');
const DAYS = 500;

/** @param habits each done on a day with its chance, whatever came before */
function madeHabits(
  habits: readonly { name: string; perWeek: number; chance: number }[],
  seed: number,
): { csv: string } {
  const random = new Random(seed);
  const lines = ['habit,date,value,per_week'];
  for (const { name, perWeek, chance } of habits) {
    for (let day = 0; day < DAYS; day++) {
      const value = random.ratio() < chance ? 'yes' : 'no';
      lines.push(`"${name}",${civilDate(FIRST_DAY + day)},${value},${perWeek}`);
    }
  }
  return { csv: `${lines.join('\r\n')}\r\n` };
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
