import { Random } from '@evenkeel/kernel/random';
import { scoreTask } from '@evenkeel/scoring';

const TASKS = 60;
const RUNS = 300;
const FIRST_MS = Date.UTC(2025, 0, 1, 6);
const DAY_MS = 86_400_000;

/**
 * A file of tasks whose every run fails with the chance that the engine gives it: no forecast could be better calibrated.
 * Equal seeds make equal files.
 * @returns with the true chance of each forecast, by task
 */
export function calibratedTasks(seed: number): { csv: string; truth: ReadonlyMap<string, readonly number[]> } {
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
