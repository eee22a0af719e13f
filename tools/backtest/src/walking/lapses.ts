import type { ObservedDays } from './observed-days';

/** Days that a lapse is a matter of, from the morning of the forecast on. */
export const LAPSE_DAYS = 7;
const ROUNDING_ERROR = 1e-9;

/**
 * Whether fewer than half of the occasions of the seven days from each morning on were done; skipped days are left out
 * as if they had not been due. Undefined where that cannot be known: nothing was due, the history ends, or a week-type
 * habit stayed below half with a skipped day in it.
 * @returns of a morning, counted from the start: 1, 0 or undefined
 */
export function lapsesOf({ credit, due, skipped, weekTarget }: ObservedDays): (morning: number) => 0 | 1 | undefined {
  const asked = due.map((isDue, day) => isDue & (1 - skipped[day]!));
  const occasions = runningSums(asked);
  const kept = runningSums(
    asked.map((isAsked, day) => (isAsked === 1 && credit[day]! >= 0.5 - ROUNDING_ERROR ? 1 : 0)),
  );
  const earned = runningSums(credit);
  const skips = runningSums(skipped);
  return (morning) => {
    const end = morning + LAPSE_DAYS;
    if (end > credit.length) return undefined;
    const within = (sums: Float64Array) => sums[end]! - sums[morning]!;
    if (weekTarget !== undefined) {
      if (within(earned) >= weekTarget / 2 - ROUNDING_ERROR) return 0;
      return within(skips) > 0 ? undefined : 1;
    }
    if (within(occasions) === 0) return undefined;
    return 2 * within(kept) < within(occasions) ? 1 : 0;
  };
}

/** Place i holds the sum of the first i values. */
function runningSums(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return sums;
}
