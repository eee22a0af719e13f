/** A rounded score from 0 to 1 as whole per cents: `{x%}` of the texts. */
export function percent(score: number): number {
  return Math.round(100 * score);
}

/** `{x:1}` of the texts. */
export function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `{x:2}` of the texts. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}
