import { ApiQuery } from '@nestjs/swagger';
import { clampedInteger } from '../queries/clamped-integer';

const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };

/** @throws ValidationFailed */
export function readMonths(text: unknown): number {
  return clampedInteger('months', text, MONTHS);
}

export function MonthsQuery(): MethodDecorator {
  const description = `the current UTC month and those before it; clamped to ${MONTHS.minimum} to ${MONTHS.maximum}`;
  return ApiQuery({
    name: 'months',
    required: false,
    schema: { type: 'integer', default: MONTHS.ifAbsent },
    description,
  });
}
