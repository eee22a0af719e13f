/**
 * What to attend to first: the risk, plus a little for a long streak that was lost and can be resumed.
 * @param lapseRisk probability, 0 to 1
 * @param currentStreak occasions, 0 to bestStreak
 * @param bestStreak occasions
 * @returns without unit, 0 to 1
 */
export function habitPriority(lapseRisk: number, currentStreak: number, bestStreak: number): number {
  return 0.9 * lapseRisk + (0.1 * (bestStreak - currentStreak)) / (bestStreak + 7);
}
