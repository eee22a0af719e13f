import { clampedInteger, IntegerQuery } from '../queries/clamped-integer';

const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };

/** @throws ValidationFailed */
export function readMonths(text: unknown): number {
  return clampedInteger('months', text, MONTHS);
}

export function MonthsQuery(): MethodDecorator {
  return IntegerQuery('months', MONTHS, 'the current UTC month and those before it');
}
