import { ApiQuery } from '@nestjs/swagger';
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

/** Says in OpenAPI what `clampedInteger` does. */
export function IntegerQuery(name: string, range: IntegerRange, what: string): MethodDecorator {
  const { minimum, maximum, ifAbsent } = range;
  const description = `${what}; clamped to ${minimum} to ${maximum}`;
  return ApiQuery({ name, required: false, schema: { type: 'integer', default: ifAbsent }, description });
}
