import type { Occasion } from './occasions';

export interface Completion {
  /** Mean credit of the occasions, 0 to 1, full precision; 0 without occasions. */
  readonly rate: number;
  /** Kept and missed ones. */
  readonly occasions: number;
  readonly excused: number;
}

/**
 * How much of what was due was done.
 * @param afterDay occasions on later days count ...
 * @param untilDay ... up to this one; a week stands at its last day, so the running week lies after the evaluation day
 */
export function completionOf(occasions: readonly Occasion[], afterDay: number, untilDay = Infinity): Completion {
  let credit = 0;
  let counted = 0;
  let excused = 0;
  for (const { day, share, verdict } of occasions) {
    if (day <= afterDay || day > untilDay) continue;
    if (verdict === 'excused') excused++;
    if (!isCounted(verdict)) continue;
    credit += share;
    counted++;
  }
  return { rate: counted === 0 ? 0 : credit / counted, occasions: counted, excused };
}

/** Whether something is known of the occasion: only kept and missed ones are evidence. */
export function isCounted(verdict: Occasion['verdict']): boolean {
  return verdict === 'kept' || verdict === 'missed';
}
