import { scoreTask } from '@evenkeel/scoring';
import type { Task } from '../reading/task-csv';
import { fourDecimals, noForecasts, type Forecasts } from './forecasts';

/** As that of a daily habit. */
const STRENGTH_KEPT = 0.5 ** (1 / 13);

/** Forecasts the failure of every run of a task, but its first, from the runs before it. */
export function walkTask({ name, runs }: Task): Forecasts {
  const forecasts = noForecasts(name, kindOfTask(runs.map(({ atMs }) => atMs)));
  let passed = 0;
  let streak = 0;
  let best = 0;
  let strength = 0;
  for (const [run, { atMs, ok }] of runs.entries()) {
    if (run > 0) {
      const summary = { name, success_rate: passed / run, current_streak: streak, best_streak: best, runs: run };
      forecasts.day.push(Math.floor(atMs / 86_400_000));
      forecasts.known.push(run);
      forecasts.given.engine.push(scoreTask(summary).failure_risk);
      forecasts.given.share.push(fourDecimals(1 - passed / run));
      forecasts.given.strength.push(fourDecimals(1 - strength));
      forecasts.came.push(ok ? 0 : 1);
    }
    passed += ok ? 1 : 0;
    streak = ok ? streak + 1 : 0;
    best = Math.max(best, streak);
    strength = strength * STRENGTH_KEPT + (ok ? 1 - STRENGTH_KEPT : 0);
  }
  return forecasts;
}

const HOUR_MS = 3_600_000;
const PACES: readonly [kind: string, belowMs: number][] = [
  ['several times an hour', 0.75 * HOUR_MS],
  ['about hourly', 3 * HOUR_MS],
  ['several times a day', 18 * HOUR_MS],
  ['about daily', 4 * 24 * HOUR_MS],
  ['about weekly', 14 * 24 * HOUR_MS],
];

/** By the median time between two runs: the file does not say how often a task is due. */
function kindOfTask(timesMs: readonly number[]): string {
  const gaps = timesMs.slice(1).map((at, i) => at - timesMs[i]!);
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Infinity;
  return PACES.find(([, belowMs]) => median < belowMs)?.[0] ?? 'rarely';
}
