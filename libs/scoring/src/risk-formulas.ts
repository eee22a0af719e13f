import { tenThousandths } from './numbers';

/**
 * Chance that a run of successes ends: of a habit, that fewer than half of the scheduled occasions of the next 7 days
 * are done; of a task, that the next run fails.
 *
 * Five pseudo-occasions at the long-run rate, the latest `streak` occasions (all done), and the one miss before them;
 * with a zero streak the latest miss is added once more. A posterior mean, so small histories shrink by themselves.
 * @param rate long-run share of successes, 0 to 1
 * @param lastMissed 1 when the latest occasion is known to be a miss, else 0
 * @param weight as in `lapseWeight`
 * @returns probability, above 0, at most 1
 * @see Laplace's rule of succession; Beta-Binomial shrinkage
 */
export function lapseCore(rate: number, lastMissed: 0 | 1, weight: number): number {
  return (lastMissed + 1 + (1 - rate) * 5) / weight;
}

/**
 * Occasions, real and pseudo, behind the lapse core.
 * @param streak occasions in a row, 0 or more
 */
export function lapseWeight(streak: number, lastMissed: 0 | 1): number {
  return streak + lastMissed + 6;
}

/**
 * How far a nudge of one point moves a risk: fully at 0.5, not at all at 0 and 1.
 * @param risk probability, 0 to 1
 * @returns factor, 0 to 1
 */
export function riskSlope(risk: number): number {
  return 4 * risk * (1 - risk);
}

/**
 * Linear pool of a computed risk and the caller's prior: the result is between the two and moves by at most `weight`.
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

export type RiskBand = 'low' | 'moderate' | 'high';

/** @param lapseRisk rounded, 0 to 1: moderate from 0.25, high from 0.5 */
export function riskBand(lapseRisk: number): RiskBand {
  return lapseRisk >= 0.5 ? 'high' : lapseRisk >= 0.25 ? 'moderate' : 'low';
}

/** Ten-thousandths: what adds less than 0.01 is not worth a name. */
const SMALLEST_NAMED = 100;
const MOST_NAMED = 3;

/**
 * Names what raises a risk: the largest terms first, ties in the order of `codes`, at most three.
 * @param terms additive parts of the risk, one per code, any sign
 */
export function strongestDrivers<Code>(codes: readonly Code[], terms: readonly number[]): Code[] {
  return codes
    .map((code, i) => ({ code, size: tenThousandths(terms[i]!) }))
    .filter(({ size }) => size >= SMALLEST_NAMED)
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_NAMED)
    .map(({ code }) => code);
}
