/**
 * How likely good weeks (80 % of the target or more) are.
 * @param completionRate 0 to 1
 * @param currentStreak occasions, 0 to bestStreak
 * @param bestStreak occasions
 * @returns without unit, 0 to 1
 */
export function consistency(completionRate: number, currentStreak: number, bestStreak: number): number {
  return 0.6 * completionRate + (0.2 * bestStreak) / (bestStreak + 7) + (0.2 * currentStreak) / (currentStreak + 4);
}
