/**
 * One end of Wilson's score interval for a proportion.
 * @param rate observed, 0 to 1
 * @param trials above 0, maybe fractional
 * @param z standard normal quantile; its sign chooses the end
 * @returns about 0 to 1; floating point may step over either by its last bits
 * @see Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212
 */
export function wilsonEnd(rate: number, trials: number, z: number): number {
  const zz = z * z;
  const halfWidth = z * Math.sqrt((rate * (1 - rate)) / trials + zz / (4 * trials * trials));
  return (rate + zz / (2 * trials) + halfWidth) / (1 + zz / trials);
}
