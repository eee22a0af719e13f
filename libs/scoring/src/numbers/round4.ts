/**
 * The one rounding of every score: four decimals, half up, never `-0`.
 * @param value finite, without unit
 */
export function round4(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}

/**
 * A rounded score as an integer, so that sums do not depend on the order of their terms.
 * @returns ten-thousandths
 */
export function tenThousandths(score: number): number {
  return Math.round(score * 1e4);
}

/**
 * Mean of rounded scores from their integer sum.
 * @param sum of ten-thousandths
 * @param count 0 or more
 * @returns four decimals; 0 for no scores
 */
export function meanOfTenThousandths(sum: number, count: number): number {
  return count === 0 ? 0 : Math.round(sum / count) / 1e4 + 0;
}
