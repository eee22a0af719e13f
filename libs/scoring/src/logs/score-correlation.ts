import { linkDirection, linkStrength, type LinkDirection, type LinkStrength } from '../insights/mood-link';
import { round4 } from '../numbers/round4';
import { ROUNDING_ERROR } from '../numbers/rounding-error';
import { criticalCorrelation, effectivePairs, fisherInterval } from './correlation-significance';
import { isKept } from './occasions';
import { autocorrelation, pearson } from './pearson';

const FEWEST_PAIRS = 14;
const FEWEST_OF_EACH = 3;
const FEWEST_EFFECTIVE_PAIRS = 4;

/** Credit of a day beside the person's mean score of that date, in date order. */
export interface ScoredDays {
  readonly credit: readonly number[];
  readonly score: readonly number[];
}

export interface ScoreCorrelation {
  coefficient: number;
  /** Pairs. */
  n: number;
  /** Independent pairs they are worth. */
  n_eff: number;
  interval: { low: number; high: number; level: 0.95 };
  strength: LinkStrength;
  direction: LinkDirection;
}

/** Why a correlation is not told. */
export type CorrelationGap =
  | { readonly reason: 'too_few_days'; readonly n: number }
  | { readonly reason: 'no_variation'; readonly kept: number; readonly missed: number; readonly constantScore: boolean }
  | { readonly reason: 'not_significant'; readonly n_eff: number; readonly r_crit: number | null };

/**
 * Whether completion goes with mood, energy or stress: told only from 14 days, 3 kept and 3 missed, and when significant
 * at the effective number of pairs. With habits and moods of different people this rule finds something in 2 to 4 %.
 */
export function correlateScores({ credit, score }: ScoredDays): ScoreCorrelation | CorrelationGap {
  const n = credit.length;
  if (n < FEWEST_PAIRS) return { reason: 'too_few_days', n };

  const kept = credit.filter(isKept).length;
  const constantScore = score.every((value) => value === score[0]);
  if (kept < FEWEST_OF_EACH || n - kept < FEWEST_OF_EACH || constantScore) {
    return { reason: 'no_variation', kept, missed: n - kept, constantScore };
  }

  const r = pearson(credit, score);
  const nEff = effectivePairs(n, autocorrelation(credit), autocorrelation(score));
  if (nEff < FEWEST_EFFECTIVE_PAIRS - ROUNDING_ERROR)
    return { reason: 'not_significant', n_eff: round4(nEff), r_crit: null };
  const rCrit = criticalCorrelation(nEff);
  if (Math.abs(r) < rCrit - ROUNDING_ERROR)
    return { reason: 'not_significant', n_eff: round4(nEff), r_crit: round4(rCrit) };

  const coefficient = round4(r);
  const { low, high } = fisherInterval(r, nEff);
  return {
    coefficient,
    n,
    n_eff: round4(nEff),
    interval: { low: round4(low), high: round4(high), level: 0.95 },
    strength: linkStrength(coefficient),
    direction: linkDirection(coefficient),
  };
}

export function isTold(correlation: ScoreCorrelation | CorrelationGap): correlation is ScoreCorrelation {
  return 'coefficient' in correlation;
}
