import type { EnergyTrend } from './habit-summary';

/**
 * Strength of a running streak; of a task, how far it has recovered.
 * @param currentStreak occasions, 0 or more
 * @returns without unit, 0 to 1: half after 4 in a row
 */
export function momentum(currentStreak: number): number {
  return currentStreak / (currentStreak + 4);
}

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

/** Both nudges together, either way. Small on purpose: in real logs they added nothing measurable once behaviour was known. */
export const LARGEST_NUDGE = 0.03;
/** Taken for a mood correlation that was not given. */
export const USUAL_MOOD_LINK = 0.25;

/** @returns points of risk at a risk of 0.5, -0.01 to 0.02 */
export function energyNudge(trend: EnergyTrend | undefined): number {
  return trend === 'falling' ? 0.02 : trend === 'rising' ? -0.01 : 0;
}

/**
 * @param averageMood 1 to 10
 * @param moodCorrelation -1 to 1
 * @returns points of risk at a risk of 0.5, -0.02 to 0.02: a low mood raises the risk of a habit that goes with mood
 */
export function moodNudge(averageMood: number, moodCorrelation: number): number {
  return -0.02 * ((averageMood - 5.5) / 4.5) * moodCorrelation;
}
