/** Two-sided 95 %. */
const Z = 1.959964;
const Z2 = Z * Z;
const Z3 = Z2 * Z;
const Z5 = Z3 * Z2;
const LAST_TERM = 31;

/**
 * How many independent pairs a paired series is worth: days that resemble the day before say little new.
 * @param pairs count
 * @param rhoX lag-1 autocorrelation of one side
 * @param rhoY lag-1 autocorrelation of the other
 * @returns pairs, above 0, at most `pairs`
 * @see Bartlett's effective sample size
 */
export function effectivePairs(pairs: number, rhoX: number, rhoY: number): number {
  const shared = Math.max(0, rhoX * rhoY);
  return (pairs * (1 - shared)) / (1 + shared);
}

/**
 * The smallest correlation that is significant at 5 %, two-sided.
 * @param nEff effective pairs, above 2
 * @returns r, 0 to 1
 * @see Student's t by the Cornish-Fisher expansion of its quantile
 */
export function criticalCorrelation(nEff: number): number {
  const df = nEff - 2;
  const t = Z + (Z3 + Z) / (4 * df) + (5 * Z5 + 16 * Z3 + 3 * Z) / (96 * df * df);
  return t / Math.sqrt(df + t * t);
}

/**
 * 95 % Fisher interval of a correlation.
 * @param r -1 to 1
 * @param nEff effective pairs, above 3
 * @returns full precision, -1 to 1
 * @see Fisher's z transformation
 */
export function fisherInterval(r: number, nEff: number): { low: number; high: number } {
  const w = tanh(Z / Math.sqrt(nEff - 3));
  return { low: (r - w) / (1 - r * w), high: (r + w) / (1 + r * w) };
}

/** Lambert's continued fraction h/(1 + h²/(3 + h²/(5 + ...))): exact arithmetic, where `exp` differs between engines. */
function tanh(h: number): number {
  let fraction = LAST_TERM;
  for (let term = LAST_TERM - 2; term >= 1; term -= 2) fraction = term + (h * h) / fraction;
  return h / fraction;
}
