/** Ends of Wilson's score interval for a proportion. */
export interface WilsonEnds {
  readonly low: number;
  readonly high: number;
}

/**
 * @param rate observed, 0 to 1
 * @param trials above 0, maybe fractional
 * @param z standard normal quantile, above 0
 * @returns 0 to 1
 * @see Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212
 */
export function wilsonEnds(rate: number, trials: number, z: number): WilsonEnds {
  const zz = z * z;
  const middle = rate + zz / (2 * trials);
  const halfWidth = z * Math.sqrt((rate * (1 - rate)) / trials + zz / (4 * trials * trials));
  const scale = 1 + zz / trials;
  // Only an error of rounding could leave 0 to 1.
  return { low: Math.max(0, (middle - halfWidth) / scale), high: Math.min(1, (middle + halfWidth) / scale) };
}
