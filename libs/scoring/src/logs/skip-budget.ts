import type { Occasion, UndecidedOccasion } from './occasions';

const BUDGET_DAYS = 90;

/** @returns skips that may be excused among that many occasions: a quarter, at least one */
function allowance(occasions: number): number {
  return Math.max(1, Math.floor(occasions / 4));
}

/**
 * Excuses skips in date order, each from its own 90 days alone, so that a decision holds for ever: neither the
 * evaluation day nor the displayed window changes it.
 * @param occasions in date order
 */
export function decideSkips(occasions: readonly UndecidedOccasion[]): Occasion[] {
  const decided: Occasion[] = [];
  let oldest = 0;
  let excused = 0;
  for (const { day, share, verdict, skipped } of occasions) {
    for (; oldest < decided.length && decided[oldest]!.day <= day - BUDGET_DAYS; oldest++) {
      if (decided[oldest]!.verdict === 'excused') excused--;
    }
    const due = decided.length - oldest + 1;
    const excuse = skipped && excused < allowance(due);
    if (excuse) excused++;
    decided.push({ day, share, verdict: excuse ? 'excused' : verdict });
  }
  return decided;
}

/**
 * What is left of the budget for skips.
 * @param occasions decided, in date order, up to and including the running one
 * @param lastDay the evaluation day; for weeks the last day of its week
 * @returns occasions, 0 or more
 */
export function skipBudgetRemaining(occasions: readonly Occasion[], lastDay: number): number {
  let due = 0;
  let excused = 0;
  for (const { day, verdict } of occasions) {
    if (day <= lastDay - BUDGET_DAYS) continue;
    due++;
    if (verdict === 'excused') excused++;
  }
  return Math.max(0, allowance(due) - excused);
}
