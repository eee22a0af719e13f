/** Words for a correlation. Never causal: even one person's own does not repeat from one half of a log to the other. */
export type LinkStrength = 'weak' | 'possible' | 'clear';
export type LinkDirection = 'positive' | 'negative';

/** @param r rounded, -1 to 1: possible from 0.3 in size, clear from 0.5 */
export function linkStrength(r: number): LinkStrength {
  const size = Math.abs(r);
  return size >= 0.5 ? 'clear' : size >= 0.3 ? 'possible' : 'weak';
}

export function linkDirection(r: number): LinkDirection {
  return r < 0 ? 'negative' : 'positive';
}

/** A link too weak is not spoken of. @param r rounded */
export function isWorthSaying(r: number | undefined): r is number {
  return r !== undefined && linkStrength(r) !== 'weak';
}
