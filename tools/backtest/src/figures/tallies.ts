/** Sums over forecasts, from which every figure but the AUC follows; sums of blocks add up. */
export type Tally = Float64Array;

export const TENTHS = 10;
const EVENTS = 0;
const COUNT = 1;
const GIVEN = 2;
const GIVEN_SQUARED = 3;
const SQUARED_ERROR = 4;
const LOG_LOSS = 5;
/** Then three for each tenth: forecasts, their sum, events. */
const TENTH = 6;
export const TALLY_LENGTH = TENTH + 3 * TENTHS;
/** A certain forecast that was wrong would lose infinitely; each is held so far from 0 and 1. */
export const LEAST_CHANCE = 0.001;

export function tallyOf(given: readonly number[], came: readonly number[]): Tally {
  const tally = new Float64Array(TALLY_LENGTH);
  given.forEach((chance, i) => {
    const event = came[i]!;
    const held = Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, chance));
    const tenth = TENTH + 3 * Math.min(TENTHS - 1, Math.floor(chance * TENTHS + 1e-9));
    tally[EVENTS]! += event;
    tally[COUNT]!++;
    tally[GIVEN]! += chance;
    tally[GIVEN_SQUARED]! += chance * chance;
    tally[SQUARED_ERROR]! += (chance - event) ** 2;
    tally[LOG_LOSS]! -= Math.log(event === 1 ? held : 1 - held);
    tally[tenth]!++;
    tally[tenth + 1]! += chance;
    tally[tenth + 2]! += event;
  });
  return tally;
}

export function weightedSum(tallies: readonly Tally[], weights: Float64Array): Tally {
  const sum = new Float64Array(TALLY_LENGTH);
  tallies.forEach((tally, block) => {
    const weight = weights[block]!;
    if (weight === 0) return;
    for (let i = 0; i < TALLY_LENGTH; i++) sum[i]! += weight * tally[i]!;
  });
  return sum;
}

export function count(tally: Tally): number {
  return tally[COUNT]!;
}

/** How often the event came, 0 to 1. */
export function observed(tally: Tally): number {
  return tally[EVENTS]! / tally[COUNT]!;
}

/** Mean forecast, 0 to 1. */
export function meanGiven(tally: Tally): number {
  return tally[GIVEN]! / tally[COUNT]!;
}

/**
 * Mean squared difference of forecast and outcome; 0 is perfect, 0.25 what always saying 0.5 gets.
 * @see Brier (1950), Monthly Weather Review 78(1), 1-3
 */
export function brier(tally: Tally): number {
  return tally[SQUARED_ERROR]! / tally[COUNT]!;
}

/**
 * Mean surprise in nats, forecasts held between 0.001 and 0.999; 0 is perfect, 0.693 what always saying 0.5 gets.
 * @see Good (1952), Journal of the Royal Statistical Society B 14(1), 107-114
 */
export function logLoss(tally: Tally): number {
  return tally[LOG_LOSS]! / tally[COUNT]!;
}

/**
 * Sharpness: the standard deviation of the forecasts, 0 when all are the same; good only with calibration.
 * @see Gneiting, Balabdaoui and Raftery (2007), Journal of the Royal Statistical Society B 69(2), 243-268
 */
export function sharpness(tally: Tally): number {
  const mean = meanGiven(tally);
  return Math.sqrt(Math.max(0, tally[GIVEN_SQUARED]! / tally[COUNT]! - mean * mean));
}

/**
 * How far the mean forecast of a tenth lies from what happened, averaged over the forecasts.
 * @see Murphy (1973), Journal of Applied Meteorology 12(4), 595-600, for the partition; Naeini et al. (2015) for this form
 */
export function calibrationError(tally: Tally): number {
  let sum = 0;
  for (let tenth = 0; tenth < TENTHS; tenth++) {
    const at = TENTH + 3 * tenth;
    sum += Math.abs(tally[at + 1]! - tally[at + 2]!);
  }
  return sum / tally[COUNT]!;
}

/** Of one tenth of the scale; the two means are NaN without forecasts. */
export function tenthOf(tally: Tally, tenth: number): { count: number; meanGiven: number; observed: number } {
  const at = TENTH + 3 * tenth;
  const of = tally[at]!;
  return { count: of, meanGiven: tally[at + 1]! / of, observed: tally[at + 2]! / of };
}
