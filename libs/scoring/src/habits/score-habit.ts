import { bestStreak, cappedCount, clamp, round4, roundScore } from '../numbers';
import { lapseCore, lapseWeight, poolPrior, riskBand, riskSlope, strongestDrivers } from '../risk-formulas';
import type { EnergyTrend, EvidencedHabit, HabitDriver, HabitSummary } from './scored-habit';

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
 * The order of attention: the risk, plus a little for a long streak that was lost and can be resumed.
 * @param lapseRisk probability, 0 to 1
 * @param currentStreak occasions, 0 to bestStreak
 * @param bestStreak occasions
 * @returns without unit, 0 to 1
 */
export function habitPriority(lapseRisk: number, currentStreak: number, bestStreak: number): number {
  return 0.9 * lapseRisk + (0.1 * (bestStreak - currentStreak)) / (bestStreak + 7);
}

/** Both nudges together, either way. Small on purpose: in real logs they added nothing measurable once behaviour was known. */
const LARGEST_NUDGE = 0.03;
/** Taken for a mood correlation that was not given. */
const USUAL_MOOD_LINK = 0.25;

/** @returns points of risk at a risk of 0.5, -0.01 to 0.02 */
function energyNudge(trend: EnergyTrend | undefined): number {
  return trend === 'falling' ? 0.02 : trend === 'rising' ? -0.01 : 0;
}

/**
 * @param averageMood 1 to 10
 * @param moodCorrelation -1 to 1
 * @returns points of risk at a risk of 0.5, -0.02 to 0.02: a low mood raises the risk of a habit that goes with mood
 */
function moodNudge(averageMood: number, moodCorrelation: number): number {
  return -0.02 * ((averageMood - 5.5) / 4.5) * moodCorrelation;
}

const DRIVERS: readonly HabitDriver[] = ['low_completion', 'zero_streak', 'falling_energy', 'mood', 'caller_prior'];
const PRIOR_WEIGHT = 0.2;

/**
 * All scores of one habit, from its summary alone: other items of a request change nothing.
 * @param summary legal by the interface; not changed
 * @param index place in the input, echoed
 * @returns scores from 0 to 1 with four decimals
 */
export function scoreHabit(summary: HabitSummary, index = 0): EvidencedHabit {
  // `-0` is legal JSON.
  const rate = summary.completion_rate + 0;
  const mood = summary.average_mood;
  const moodCorrelation = summary.mood_correlation;
  const prior = summary.risk_score;
  const streak = cappedCount(summary.current_streak);
  const best = bestStreak(summary.best_streak, streak);
  const lastMissed = streak === 0 ? 1 : 0;
  const weight = lapseWeight(streak, lastMissed);

  const core = lapseCore(rate, lastMissed, weight);
  const slope = riskSlope(core);
  const byEnergy = energyNudge(summary.energy_trend);
  const byMood = mood === undefined ? 0 : moodNudge(mood, moodCorrelation ?? USUAL_MOOD_LINK);
  const nudged = clamp(core + slope * clamp(byEnergy + byMood, -LARGEST_NUDGE, LARGEST_NUDGE), 0.01, 0.99);
  const pooled = prior === undefined ? nudged : poolPrior(nudged, prior, PRIOR_WEIGHT);
  const risk = clamp(pooled, 0.01, 0.99);
  const drivers = strongestDrivers(DRIVERS, [
    (5 * (1 - rate)) / weight,
    lastMissed / weight,
    slope * byEnergy,
    slope * byMood,
    prior === undefined ? 0 : PRIOR_WEIGHT * (prior - nudged),
  ]);

  const lapseRisk = roundScore(risk);
  return {
    index,
    name: summary.name,
    item: summary,
    completionRate: rate,
    risk,
    currentStreak: streak,
    bestStreak: best,
    averageMood: mood === undefined ? undefined : roundScore(mood),
    moodCorrelation: moodCorrelation === undefined ? undefined : round4(moodCorrelation),
    energyTrend: summary.energy_trend,
    adherence: roundScore(rate),
    expectedAdherence: roundScore(1 - core),
    consistency: roundScore(consistency(rate, streak, best)),
    momentum: roundScore(momentum(streak)),
    lapseRisk,
    band: riskBand(lapseRisk),
    priority: roundScore(habitPriority(risk, streak, best)),
    drivers,
  };
}
