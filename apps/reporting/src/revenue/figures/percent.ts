/**
 * A part in per cent with two decimals, rounded half away from zero, counted in integers.
 * @param whole above zero
 */
export function percentOf(part: number, whole: number): number {
  const size = BigInt(Math.abs(part)) * 10_000n;
  const divisor = BigInt(whole);
  const hundredths = Number((size * 2n + divisor) / (divisor * 2n));
  return hundredths === 0 ? 0 : (Math.sign(part) * hundredths) / 100;
}
