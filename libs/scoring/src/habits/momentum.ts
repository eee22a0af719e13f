/**
 * Strength of a running streak; of a task, how far it has recovered.
 * @param currentStreak occasions, 0 or more
 * @returns without unit, 0 to 1: half after 4 in a row
 */
export function momentum(currentStreak: number): number {
  return currentStreak / (currentStreak + 4);
}
