import { linkDirection, type LinkDirection, linkStrength, type LinkStrength } from '../insights/mood-link';
import { round4, ROUNDING_ERROR } from '../numbers';
import { isKept } from './occasions';

const FEWEST_PAIRS = 14;
const FEWEST_OF_EACH = 3;
const FEWEST_EFFECTIVE_PAIRS = 4;
/** Two-sided 95 %. */
const Z = 1.959964;
const Z2 = Z * Z;
const Z3 = Z2 * Z;
const Z5 = Z3 * Z2;
const LAST_TERM = 31;

/** Completion of a day beside the person's mean score of that date, in date order. */
export interface ScoredDays {
  readonly completion: readonly number[];
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

/** Why a correlation is not published. */
export type CorrelationGap =
  | { readonly reason: 'too_few_days'; readonly n: number }
  | { readonly reason: 'no_variation'; readonly kept: number; readonly missed: number; readonly constantScore: boolean }
  | { readonly reason: 'not_significant'; readonly n_eff: number; readonly r_crit: number | null };

/**
 * Whether completion goes with mood, energy or stress: published only from 14 days, 3 kept and 3 missed, and when significant
 * at the effective number of pairs. With habits and moods of different people this rule finds something in 2 to 4 %.
 */
export function correlateScores({ completion, score }: ScoredDays): ScoreCorrelation | CorrelationGap {
  const n = completion.length;
  if (n < FEWEST_PAIRS) return { reason: 'too_few_days', n };

  const kept = completion.filter(isKept).length;
  const constantScore = score.every((value) => value === score[0]);
  if (kept < FEWEST_OF_EACH || n - kept < FEWEST_OF_EACH || constantScore) {
    return { reason: 'no_variation', kept, missed: n - kept, constantScore };
  }

  const r = pearson(completion, score);
  const nEff = effectivePairs(n, autocorrelation(completion), autocorrelation(score));
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

/**
 * Pearson's correlation of two series of equal length, neither of them constant.
 * @returns -1 to 1
 */
function pearson(x: readonly number[], y: readonly number[]): number {
  const meanX = mean(x);
  const meanY = mean(y);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = x[i]! - meanX;
    const dy = y[i]! - meanY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/**
 * Lag-1 autocorrelation of a series that is not constant.
 * @returns -1 to 1
 */
function autocorrelation(values: readonly number[]): number {
  const center = mean(values);
  let lagged = 0;
  let spread = 0;
  for (let t = 0; t < values.length; t++) {
    const deviation = values[t]! - center;
    spread += deviation * deviation;
    if (t + 1 < values.length) lagged += deviation * (values[t + 1]! - center);
  }
  return lagged / spread;
}

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/**
 * How many independent pairs a paired series is worth: days that resemble the day before say little new.
 * @param pairs count
 * @param rhoX lag-1 autocorrelation of one side
 * @param rhoY lag-1 autocorrelation of the other
 * @returns pairs, above 0, at most `pairs`
 * @see Bartlett's effective sample size
 */
function effectivePairs(pairs: number, rhoX: number, rhoY: number): number {
  const shared = Math.max(0, rhoX * rhoY);
  return (pairs * (1 - shared)) / (1 + shared);
}

/**
 * The smallest correlation that is significant at 5 %, two-sided.
 * @param nEff effective pairs, above 2
 * @returns r, 0 to 1
 * @see Student's t by the Cornish-Fisher expansion of its quantile
 */
function criticalCorrelation(nEff: number): number {
  const df = nEff - 2;
  const t = Z + (Z3 + Z) / (4 * df) + (5 * Z5 + 16 * Z3 + 3 * Z) / (96 * df * df);
  return t / Math.sqrt(df + t * t);
}

/**
 * 95 % Fisher interval of a correlation.
 * @param r -1 to 1
 * @param nEff effective pairs, above 3
 * @returns full precision, -1 to 1
 * @see Fisher's z transformation
 */
function fisherInterval(r: number, nEff: number): { low: number; high: number } {
  const w = tanh(Z / Math.sqrt(nEff - 3));
  return { low: (r - w) / (1 - r * w), high: (r + w) / (1 + r * w) };
}

/** Lambert's continued fraction h/(1 + h²/(3 + h²/(5 + ...))): exact arithmetic, where `exp` differs between engines. */
function tanh(h: number): number {
  let fraction = LAST_TERM;
  for (let term = LAST_TERM - 2; term >= 1; term -= 2) fraction = term + (h * h) / fraction;
  return h / fraction;
}
