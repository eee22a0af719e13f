/**
 * Linear pool of a computed risk and the caller's prior: the result lies between the two and moves by at most `weight`.
 * Preferred to log-odds, which need an arbitrary clamp for a prior of exactly 0 or 1.
 * @param computed probability, 0 to 1
 * @param prior the caller's probability, 0 to 1
 * @param weight of the prior, 0 to 1
 * @returns probability, 0 to 1
 * @see Stone (1961), linear opinion pool
 */
export function poolPrior(computed: number, prior: number, weight: number): number {
  return (1 - weight) * computed + weight * prior;
}
