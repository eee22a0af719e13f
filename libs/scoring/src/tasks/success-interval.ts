import { roundScore } from '../numbers/round4';
import { wilsonEnds } from './wilson';

/** Two-sided 95 %. */
const Z = 1.959963984540054;

export interface SuccessInterval {
  low: number;
  high: number;
  /** Confidence. */
  level: 0.95;
}

/**
 * Where the true success rate lies.
 * @param successRate as observed, 0 to 1
 * @param runs as reported; a guessed number would make the interval a guess
 * @returns rounded ends, 0 to 1; null without runs
 * @see Wilson (1927)
 */
export function successInterval(successRate: number, runs: number | undefined): SuccessInterval | null {
  if (runs === undefined || runs === 0) return null;
  const { low, high } = wilsonEnds(successRate, runs, Z);
  return { low: roundScore(low), high: roundScore(high), level: 0.95 };
}
