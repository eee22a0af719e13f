import { clampedInteger, IntegerQuery } from './clamped-integer';

const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };

/** @throws ValidationFailed */
export function readDays(text: unknown): number {
  return clampedInteger('days', text, DAYS);
}

export function DaysQuery(): MethodDecorator {
  return IntegerQuery('days', DAYS, 'the current UTC day and those before it');
}
