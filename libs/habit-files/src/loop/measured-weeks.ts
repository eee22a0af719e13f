import { dayNumber, firstDayOfWeek, type WeekStart } from '@evenkeel/scoring';
import type { FileLog } from '../habit-file';

/** A number to reach, or not to exceed. */
export interface Measure {
  readonly atMost: boolean;
  readonly target: number;
}

/** @returns 1 where the target is reached, or not exceeded */
export function shareOfTarget(number: number, { atMost, target }: Measure): number {
  if (atMost ? number <= target : number >= target) return 1;
  return atMost ? target / number : number / target;
}

/** Four decimals are kept of a rate. */
const RATES = 10_000;
const ALMOST = 1e-9;

interface Week {
  sum: number;
  days: number;
  /** Sum of the shares of the target as they are kept. */
  kept: number;
}

/**
 * Rates of logs that hold numbers, so that each week comes out as its sum does. "At least": each day has its share of the target, and
 * the shares of a week add up to 1 exactly when its numbers reach it. "At most": all days of a week are done, or none is wholly.
 * @param logs skipped ones stay as they are
 * @param measure of a week
 */
export function sharesOfWeeks(logs: readonly FileLog[], measure: Measure, weekStart: WeekStart): FileLog[] {
  const weekOf = ({ localDate }: FileLog): number => firstDayOfWeek(dayNumber(localDate), weekStart);
  const weeks = new Map<number, Week>();
  for (const log of logs) {
    if (log.status === 'SKIPPED') continue;
    const { sum, days, kept } = weeks.get(weekOf(log)) ?? { sum: 0, days: 0, kept: 0 };
    const share = Math.round((log.completionRate / measure.target) * RATES) / RATES;
    weeks.set(weekOf(log), { sum: sum + log.completionRate, days: days + 1, kept: kept + share });
  }
  return logs.map((log) => {
    if (log.status === 'SKIPPED') return log;
    const rate = rateInWeek(log.completionRate, measure, weeks.get(weekOf(log))!);
    return rate >= 1 ? { ...log, status: 'COMPLETED', completionRate: 1 } : { ...log, completionRate: rate };
  });
}

function rateInWeek(number: number, { atMost, target }: Measure, { sum, days, kept }: Week): number {
  const isMet = atMost ? sum <= target + ALMOST : sum >= target - ALMOST;
  if (atMost) return isMet ? 1 : Math.floor((target / sum / days) * RATES) / RATES;
  if (target === 0) return 1;
  const share = number / target;
  if (isMet === kept >= 1 - ALMOST) return share;
  return (isMet ? Math.ceil(share * RATES) : Math.floor(share * RATES)) / RATES;
}
