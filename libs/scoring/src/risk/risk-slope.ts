/**
 * How far a nudge of one point moves a risk: fully at 0.5, not at all at 0 and 1.
 * @param risk probability, 0 to 1
 * @returns factor, 0 to 1
 */
export function riskSlope(risk: number): number {
  return 4 * risk * (1 - risk);
}
