import { wilsonEnds } from './wilson';

/** One-sided 90 %. */
const Z = 1.2815515655446004;

/**
 * Cautious success rate: the true one is above it with 90 % confidence, so few runs give a low value. Not a forecast.
 * @param successRate as observed, 0 to 1
 * @param runs behind it, 0 or more, maybe fractional
 * @returns rate, 0 to 1; 0 without runs
 * @see Wilson (1927)
 */
export function successLowerBound(successRate: number, runs: number): number {
  return runs === 0 ? 0 : wilsonEnds(successRate, runs, Z).low;
}
