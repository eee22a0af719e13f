/**
 * How far a nudge of `points` moves a risk: all of it at 0.5, none of it at 0 and 1.
 * @param risk probability, 0 to 1
 * @param points size of the nudge, in probability at a risk of 0.5
 * @returns signed, in probability
 */
export function riskShift(risk: number, points: number): number {
  return 4 * risk * (1 - risk) * points;
}
