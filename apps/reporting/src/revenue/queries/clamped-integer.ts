import { badQuery } from './bad-query';

export interface IntegerRange {
  minimum: number;
  maximum: number;
  /** For a query that does not name it. */
  ifAbsent: number;
}

const INTEGER = /^-?\d+$/;

/**
 * An integer of a query, moved into its range (D-113, D-114).
 * @throws ValidationFailed for what is no integer
 */
export function clampedInteger(name: string, text: unknown, { minimum, maximum, ifAbsent }: IntegerRange): number {
  if (text === undefined) return ifAbsent;
  if (typeof text !== 'string' || !INTEGER.test(text)) throw badQuery(name, 'wrong_type', 'must be one integer');
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
