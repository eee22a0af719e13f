const WEEK = 7;

/**
 * The day that a key leads to, or nothing when the key is not for the chart.
 * @param day index of the day under the cursor
 */
export function dayAfterKey(key: string, day: number, days: number): number | undefined {
  const wanted: Record<string, number> = {
    ArrowLeft: day - 1,
    ArrowDown: day - 1,
    ArrowRight: day + 1,
    ArrowUp: day + 1,
    PageUp: day + WEEK,
    PageDown: day - WEEK,
    Home: 0,
    End: days - 1,
  };
  const next = wanted[key];
  return next === undefined ? undefined : Math.min(Math.max(next, 0), days - 1);
}
