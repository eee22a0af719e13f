/**
 * A `bigint` of the database as a number: `pg` reads it as text, because not every value of it is one. Money here always is.
 * @throws RangeError when it is not a safe integer
 */
export function readMicros(stored: string): number {
  const micros = Number(stored);
  if (!Number.isSafeInteger(micros)) throw new RangeError('stored micro-USD are not a safe integer');
  return micros;
}
