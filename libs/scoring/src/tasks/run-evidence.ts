import { cappedCount } from '../numbers/capped-count';

const FEWEST_PROVEN = 10;

/**
 * How many runs stand behind a success rate.
 * @param runs as reported
 * @param bestStreak runs
 * @param successRate 0 to 1
 * @returns `runs`, or without them what the record proves: its best streak at that rate, at least 10; maybe fractional
 */
export function runEvidence(runs: number | undefined, bestStreak: number, successRate: number): number {
  if (runs !== undefined) return cappedCount(runs);
  return Math.max(FEWEST_PROVEN, bestStreak / Math.max(successRate, 0.01));
}
