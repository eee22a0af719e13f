import { ApiQuery } from '@nestjs/swagger';
import { clampedInteger } from './clamped-integer';

const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };

/** @throws ValidationFailed */
export function readDays(text: unknown): number {
  return clampedInteger('days', text, DAYS);
}

export function DaysQuery(): MethodDecorator {
  const description = `the current UTC day and those before it; clamped to ${DAYS.minimum} to ${DAYS.maximum}`;
  return ApiQuery({ name: 'days', required: false, schema: { type: 'integer', default: DAYS.ifAbsent }, description });
}
