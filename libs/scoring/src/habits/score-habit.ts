import { bestStreak, cappedCount, clamp, round4, roundScore } from '../numbers';
import { lapseCore, lapseWeight, poolPrior, riskBand, riskSlope } from '../risk-formulas';
import { strongestDrivers } from '../strongest-drivers';
import {
  consistency,
  energyNudge,
  habitPriority,
  LARGEST_NUDGE,
  momentum,
  moodNudge,
  USUAL_MOOD_LINK,
} from './habit-formulas';
import type { HabitSummary } from './habit-summary';
import type { EvidencedHabit, HabitDriver } from './scored-habit';

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
