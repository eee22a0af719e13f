import { cappedCount } from '../numbers/capped-count';
import { clamp } from '../numbers/clamp';
import { round4 } from '../numbers/round4';
import { lapseCore } from '../risk/lapse-core';
import { poolPrior } from '../risk/pool-prior';
import { riskBand } from '../risk/risk-band';
import { riskShift } from '../risk/shift-risk';
import { strongestDrivers } from '../risk/strongest-drivers';
import { consistency } from './consistency';
import { habitPriority } from './habit-priority';
import type { HabitSummary } from './habit-summary';
import { momentum } from './momentum';
import { energyNudge, moodAndEnergyNudge, moodNudge } from './mood-and-energy';
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
  const rate = summary.completion_rate;
  const prior = summary.risk_score;
  const streak = cappedCount(summary.current_streak);
  // A current streak above the best is a stale best, not an error.
  const best = Math.max(cappedCount(summary.best_streak), streak);
  const lastMissed = streak === 0 ? 1 : 0;

  const core = lapseCore(rate, streak, lastMissed);
  const energy = energyNudge(summary.energy_trend);
  const mood = moodNudge(summary.average_mood, summary.mood_correlation);
  const nudged = clamp(core + riskShift(core, moodAndEnergyNudge(energy, mood)), 0.01, 0.99);
  const risk = clamp(poolPrior(nudged, prior, PRIOR_WEIGHT), 0.01, 0.99);
  const lapseRisk = round4(risk);
  const weight = 6 + lastMissed + streak;

  return {
    index,
    name: summary.name,
    item: summary,
    completionRate: rate,
    risk,
    currentStreak: streak,
    bestStreak: best,
    averageMood: rounded(summary.average_mood),
    moodCorrelation: rounded(summary.mood_correlation),
    energyTrend: summary.energy_trend,
    adherence: round4(rate),
    expectedAdherence: round4(1 - core),
    consistency: round4(consistency(rate, streak, best)),
    momentum: round4(momentum(streak)),
    lapseRisk,
    band: riskBand(lapseRisk),
    priority: round4(habitPriority(risk, streak, best)),
    drivers: strongestDrivers(DRIVERS, [
      (5 * (1 - rate)) / weight,
      lastMissed / weight,
      riskShift(core, energy),
      riskShift(core, mood),
      prior === undefined ? 0 : PRIOR_WEIGHT * (prior - nudged),
    ]),
  };
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : round4(value);
}
