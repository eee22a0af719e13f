import { ApiQuery } from '@nestjs/swagger';
import { clampedInteger } from './clamped-integer';

const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 25 };

/** @throws ValidationFailed */
export function readLimit(text: unknown): number {
  return clampedInteger('limit', text, LIMIT);
}

export function LimitQuery(): MethodDecorator {
  const description = `rows at most; clamped to ${LIMIT.minimum} to ${LIMIT.maximum}`;
  return ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', default: LIMIT.ifAbsent },
    description,
  });
}
