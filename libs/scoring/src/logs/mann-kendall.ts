/**
 * Mann-Kendall test for a trend, with tie and continuity correction.
 * @param values in time order
 * @returns z, standard normal without a trend; 0 when all values are equal
 * @see Mann 1945; Kendall
 */
export function mannKendallZ(values: readonly number[]): number {
  const n = values.length;
  let rises = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) rises += Math.sign(values[j]! - values[i]!);
  }
  if (rises === 0) return 0;
  const variance = (n * (n - 1) * (2 * n + 5) - tieTerm(values)) / 18;
  return (rises - Math.sign(rises)) / Math.sqrt(variance);
}

/** Sum of t(t - 1)(2t + 5) over groups of t equal values. */
function tieTerm(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  let sum = 0;
  let first = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[first]) continue;
    const t = i - first;
    sum += t * (t - 1) * (2 * t + 5);
    first = i;
  }
  return sum;
}
