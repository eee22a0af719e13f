import { clampedInteger, IntegerQuery } from './clamped-integer';

const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 25 };

/** @throws ValidationFailed */
export function readLimit(text: unknown): number {
  return clampedInteger('limit', text, LIMIT);
}

export function LimitQuery(): MethodDecorator {
  return IntegerQuery('limit', LIMIT, 'rows at most');
}
