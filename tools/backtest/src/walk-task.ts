import { Random } from '@evenkeel/kernel/random';
import { scoreTask } from '@evenkeel/scoring';
import { type Forecast, fourDecimals, type Series } from './forecasts';
import type { Task } from './read-tasks';

/** What the runs of a task before the next one say. */
class RunsBefore {
  count = 0;
  passed = 0;
  private streak = 0;
  private best = 0;

  /** The chance that the next one fails, by the engine. */
  get risk(): number {
    const { best: best_streak, count: runs, passed, streak: current_streak } = this;
    return scoreTask({ name: '', success_rate: passed / runs, current_streak, best_streak, runs }).failure_risk;
  }

  add(ok: boolean): void {
    this.count += 1;
    this.passed += ok ? 1 : 0;
    this.streak = ok ? this.streak + 1 : 0;
    this.best = Math.max(this.best, this.streak);
  }
}

const DAY_MS = 86_400_000;
/** As that of a daily habit. */
const STRENGTH_KEPT = 0.5 ** (1 / 13);

/** Forecasts the failure of every run of a task, but its first, from the runs before it. */
export function walkTask({ name, runs }: Task): Series {
  const before = new RunsBefore();
  const forecasts: Forecast[] = [];
  let strength = 0;
  for (const { atMs, ok } of runs) {
    if (before.count > 0) {
      forecasts.push({
        day: Math.floor(atMs / DAY_MS),
        known: before.count,
        engine: before.risk,
        share: fourDecimals(1 - before.passed / before.count),
        strength: fourDecimals(1 - strength),
        came: ok ? 0 : 1,
      });
    }
    before.add(ok);
    strength = strength * STRENGTH_KEPT + (ok ? 1 - STRENGTH_KEPT : 0);
  }
  return { name, kind: kindOfTask(runs.map(({ atMs }) => atMs)), forecasts };
}

const HOUR_MS = 3_600_000;
const PACES: readonly [kind: string, belowMs: number][] = [
  ['several times an hour', 0.75 * HOUR_MS],
  ['about hourly', 3 * HOUR_MS],
  ['several times a day', 18 * HOUR_MS],
  ['about daily', 4 * DAY_MS],
  ['about weekly', 14 * DAY_MS],
];

/** By the median time between two runs: the file does not say how often a task is due. */
function kindOfTask(timesMs: readonly number[]): string {
  const gaps = timesMs.slice(1).map((at, i) => at - timesMs[i]!);
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Infinity;
  return PACES.find(([, belowMs]) => median < belowMs)?.[0] ?? 'rarely';
}

const SAMPLE = { tasks: 60, runs: 300, firstMs: Date.UTC(2025, 0, 1, 6) };

/**
 * A file of tasks whose every run fails with the chance that the engine gives it: no forecast could be better calibrated.
 * Equal seeds make equal files.
 */
export function calibratedTasks(seed: number): string {
  const random = new Random(seed);
  const lines = ['task,time,ok'];
  for (let task = 1; task <= SAMPLE.tasks; task++) {
    const before = new RunsBefore();
    while (before.count < SAMPLE.runs) {
      const time = new Date(SAMPLE.firstMs + before.count * DAY_MS).toISOString();
      // Of the first run nothing is forecast: tasks begin differently, and stay different for a while.
      const ok = random.ratio() >= (before.count === 0 ? task / (SAMPLE.tasks + 1) : before.risk);
      lines.push(`Job ${task},${time},${ok ? 'yes' : 'no'}`);
      before.add(ok);
    }
  }
  return `${lines.join('\r\n')}\r\n`;
}
