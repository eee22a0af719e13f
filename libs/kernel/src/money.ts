export const MICROS_PER_USD = 1_000_000;

interface UsdAmount {
  /** Rounded to cents, half away from zero. */
  usd: number;
  /** Exact, six decimals. */
  usd_exact: string;
}

/**
 * An amount of money as every answer shows it.
 * @param micros micro-USD, a safe integer of either sign
 * @throws RangeError when it is not a safe integer
 */
export function usdAmount(micros: number): UsdAmount {
  if (!Number.isSafeInteger(micros)) throw new RangeError('micro-USD must be a safe integer');
  const size = Math.abs(micros);
  const sign = micros < 0 ? -1 : 1;
  const cents = Math.floor(size / 10_000) + (size % 10_000 >= 5_000 ? 1 : 0);
  const whole = Math.floor(size / MICROS_PER_USD);
  const fraction = String(size % MICROS_PER_USD).padStart(6, '0');
  return { usd: cents === 0 ? 0 : (sign * cents) / 100, usd_exact: `${sign < 0 ? '-' : ''}${whole}.${fraction}` };
}

/**
 * A `bigint` of the database as a number: `pg` reads it as text, because not every value of it is one. Money here always is.
 * @throws RangeError when it is not a safe integer
 */
export function readMicros(stored: string): number {
  const micros = Number(stored);
  if (!Number.isSafeInteger(micros)) throw new RangeError('stored micro-USD are not a safe integer');
  return micros;
}
