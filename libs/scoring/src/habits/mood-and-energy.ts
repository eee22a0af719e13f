import { clamp } from '../numbers/clamp';
import type { EnergyTrend } from './habit-summary';

/** Small on purpose: in real logs mood and energy added nothing measurable once behaviour was known. */
const LARGEST_NUDGE = 0.03;
/** Stands in for a mood correlation that was not given. */
const USUAL_MOOD_LINK = 0.25;

/** @returns points of risk at a risk of 0.5, -0.01 to 0.02 */
export function energyNudge(trend: EnergyTrend | undefined): number {
  return trend === 'falling' ? 0.02 : trend === 'rising' ? -0.01 : 0;
}

/**
 * @param averageMood 1 to 10; absent means no nudge
 * @param moodCorrelation -1 to 1
 * @returns points of risk at a risk of 0.5, -0.02 to 0.02: a low mood raises the risk of a habit that goes with mood
 */
export function moodNudge(averageMood: number | undefined, moodCorrelation: number | undefined): number {
  if (averageMood === undefined) return 0;
  return -0.02 * ((averageMood - 5.5) / 4.5) * (moodCorrelation ?? USUAL_MOOD_LINK);
}

/** Both together, cut to 3 points either way. */
export function moodAndEnergyNudge(energy: number, mood: number): number {
  return clamp(energy + mood, -LARGEST_NUDGE, LARGEST_NUDGE);
}
