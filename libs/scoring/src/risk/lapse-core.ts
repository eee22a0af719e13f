/**
 * Chance that a run of successes ends: of a habit, that fewer than half of the scheduled occasions of the next 7 days
 * are done; of a task, that the next run fails.
 *
 * Five pseudo-occasions at the long-run rate, the latest `streak` occasions (all done), and the one miss before them;
 * with a zero streak the latest miss counts once more. A posterior mean, so small histories shrink by themselves.
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
