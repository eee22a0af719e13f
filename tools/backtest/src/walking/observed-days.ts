import { dayNumber } from '@evenkeel/scoring';
import type { Habit } from '../reading/collected-habits';

/** What is known of every day of a habit, from its start to the last day, whatever a forecast may see of it. */
export interface ObservedDays {
  readonly start: number;
  /** Credit of a day, 0 to 1; up to 2 for targets above 7 a week. */
  readonly credit: Float64Array;
  /** Skipped and nothing else. */
  readonly skipped: Uint8Array;
  /** A day on which work counts. */
  readonly due: Uint8Array;
  /** Of a habit that is due so many times on any days of a week; undefined where each day stands for itself. */
  readonly weekTarget: number | undefined;
}

export function observedDays({ history, lastDay }: Habit): ObservedDays {
  const start = dayNumber(history.startDate);
  const length = Math.max(0, lastDay - start + 1);
  const mask = history.targetDaysMask ?? 0;
  const target = history.targetPerWeek ?? (history.cadence === 'WEEKLY' ? 1 : 7);
  const weekTarget = mask === 0 && target !== 7 ? target : undefined;
  const several = weekTarget !== undefined && weekTarget > 7;
  const credit = new Float64Array(length);
  const skipped = new Uint8Array(length);
  const worked = new Uint8Array(length);
  for (const { localDate, status, completionRate } of history.logs) {
    const at = dayNumber(localDate) - start;
    if (at < 0 || at >= length) continue;
    if (status === 'SKIPPED') skipped[at] = 1;
    else {
      const earned = status === 'COMPLETED' ? 1 : (completionRate ?? 0.5);
      credit[at] = several ? Math.min(2, credit[at]! + earned) : Math.max(credit[at]!, earned);
      worked[at] = 1;
    }
  }
  // 1970-01-01 was a Thursday; bit 0 of a mask is Monday.
  const due = new Uint8Array(length).map((_, at) => (mask === 0 ? 1 : (mask >> ((start + at + 3) % 7)) & 1));
  return { start, credit, due, skipped: skipped.map((skip, at) => skip & due[at]! & (1 - worked[at]!)), weekTarget };
}
