import type { EnergyTrend } from './habit-summary';

/** Both nudges together, either way. Small on purpose: in real logs they added nothing measurable once behaviour was known. */
export const LARGEST_NUDGE = 0.03;
/** Stands in for a mood correlation that was not given. */
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
