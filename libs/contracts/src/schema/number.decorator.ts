import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { compose } from './compose';

/** Largest stored integer: the `integer` column of PostgreSQL. */
export const MAX_INTEGER = 2 ** 31 - 1;

/** An integer, both ends included. `3.0` is one, a string never is. */
export function IntegerBetween(minimum: number, maximum: number): PropertyDecorator {
  return compose(IsInt(), Min(minimum), Max(maximum));
}

/** A finite number, both ends included. */
export function NumberBetween(minimum: number, maximum: number): PropertyDecorator {
  return compose(IsNumber(), Min(minimum), Max(maximum));
}

/** How many of something: 0 to 2^31 - 1. */
export function Count(): PropertyDecorator {
  return IntegerBetween(0, MAX_INTEGER);
}

/** A score, share or probability: 0 to 1. */
export function Ratio(): PropertyDecorator {
  return NumberBetween(0, 1);
}
