/**
 * Long-run success rate, shrunk towards 0.9 by four prior runs.
 * @param successRate as observed, 0 to 1
 * @param runs behind it, 0 or more, maybe fractional
 * @returns rate, above 0 and below 1 for finite evidence; 0.9 without runs
 * @see Beta-Binomial shrinkage
 */
export function successEstimate(successRate: number, runs: number): number {
  return (successRate * runs + 3.6) / (runs + 4);
}
