import { ROUNDING_ERROR } from '../numbers/rounding-error';

/**
 * Further successful runs until the next-run risk is down to twice its long-run level (5 % at least).
 * @param successEstimate long-run rate, 0 to 1
 * @param currentStreak runs
 * @returns runs, integer, 0 or more
 */
export function runsToRecover(successEstimate: number, currentStreak: number): number {
  const acceptable = Math.max(0.05, 2 * (1 - successEstimate));
  return Math.max(0, Math.ceil((1 + 5 * (1 - successEstimate)) / acceptable - 6 - ROUNDING_ERROR) - currentStreak);
}
