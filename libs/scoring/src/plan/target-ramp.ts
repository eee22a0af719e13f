import { round4 } from '../numbers/round4';

/** 20^(-7/180): without risk, 95 % of the gap to the target closes in 180 days. */
const WEEKLY_GAP_LEFT = 0.890029474376723;

/**
 * What is left of the gap to the target after one more week; risk slows the ramp, at most by half.
 * @param lapseRisk probability, 0 to 1
 * @returns factor, above 0.89 and below 1
 */
export function weeklyGapLeft(lapseRisk: number): number {
  return 1 - (1 - WEEKLY_GAP_LEFT) * (1 - lapseRisk / 2);
}

export interface WeeklyTarget {
  /** Share of the target, four decimals. */
  rate: number;
  /** Of a full week, 1 to the target. */
  sessions: number;
}

/**
 * Gentle on purpose: the first target is near the current level, the later ones are a stretch.
 * @param completionRate now, 0 to 1
 * @param lapseRisk probability, 0 to 1
 * @param targetPerWeek sessions, 1 or more
 * @param weeks how many
 */
export function weeklyTargets(
  completionRate: number,
  lapseRisk: number,
  targetPerWeek: number,
  weeks: number,
): WeeklyTarget[] {
  const gapLeft = weeklyGapLeft(lapseRisk);
  const targets: WeeklyTarget[] = [];
  let gap = targetPerWeek * (1 - completionRate);
  for (let week = 0; week < weeks; week++) {
    gap *= gapLeft;
    const reached = targetPerWeek - gap;
    targets.push({
      rate: round4(reached / targetPerWeek),
      sessions: Math.max(1, Math.min(targetPerWeek, Math.floor(reached + 0.5))),
    });
  }
  return targets;
}
