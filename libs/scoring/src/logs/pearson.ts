/**
 * Pearson's correlation of two series of equal length, neither of them constant.
 * @returns -1 to 1
 */
export function pearson(x: readonly number[], y: readonly number[]): number {
  const meanX = mean(x);
  const meanY = mean(y);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = x[i]! - meanX;
    const dy = y[i]! - meanY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/**
 * Lag-1 autocorrelation of a series that is not constant.
 * @returns -1 to 1
 */
export function autocorrelation(values: readonly number[]): number {
  const center = mean(values);
  let lagged = 0;
  let spread = 0;
  for (let t = 0; t < values.length; t++) {
    const deviation = values[t]! - center;
    spread += deviation * deviation;
    if (t + 1 < values.length) lagged += deviation * (values[t + 1]! - center);
  }
  return lagged / spread;
}

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
