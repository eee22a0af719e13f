import type { Occasion } from './occasions';

export interface Streaks {
  readonly current: number;
  readonly best: number;
}

/** Runs of kept occasions over the whole history, in days or weeks; pending and excused ones neither add nor break. */
export function streaksOf(occasions: readonly Occasion[]): Streaks {
  let current = 0;
  let best = 0;
  for (const { verdict } of occasions) {
    if (verdict === 'missed') current = 0;
    if (verdict === 'kept') current++;
    if (current > best) best = current;
  }
  return { current, best };
}
