import { clampedInteger, knownWord, type IntegerRange } from '@evenkeel/platform/lists';
import { ApiQuery } from '@nestjs/swagger';
import { PAYMENT_STATUSES, type PaymentStatus } from './payments/payment-rows';

const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };
const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 25 };
const WORDS = ['previous'] as const;
const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };

/** Describes in OpenAPI what `clampedInteger` does. */
function IntegerQuery(name: string, range: IntegerRange, what: string): MethodDecorator {
  const { minimum, maximum, ifAbsent } = range;
  const description = `${what}; clamped to ${minimum} to ${maximum}`;
  return ApiQuery({ name, required: false, schema: { type: 'integer', default: ifAbsent }, description });
}

/** Moved into its range, as all integers of queries (D-113, D-114). @throws ValidationFailed */
export function readDays(text: unknown): number {
  return clampedInteger('days', text, DAYS);
}

export function DaysQuery(): MethodDecorator {
  return IntegerQuery('days', DAYS, 'the current UTC day and those before it');
}

/** @throws ValidationFailed */
export function readLimit(text: unknown): number {
  return clampedInteger('limit', text, LIMIT);
}

export function LimitQuery(): MethodDecorator {
  return IntegerQuery('limit', LIMIT, 'rows at most');
}

/**
 * Whether the query asks for the figures of the days before.
 * @throws ValidationFailed
 */
export function readCompare(text: unknown): boolean {
  return knownWord('compare', text, WORDS) === 'previous';
}

export function CompareQuery(): MethodDecorator {
  const description = 'adds `previous`: the same figures of as many days right before';
  return ApiQuery({ name: 'compare', required: false, enum: WORDS, description });
}

/** @throws ValidationFailed */
export function readStatus(text: unknown): PaymentStatus | undefined {
  return knownWord('status', text, PAYMENT_STATUSES);
}

export function StatusQuery(): MethodDecorator {
  return ApiQuery({ name: 'status', required: false, enum: PAYMENT_STATUSES, description: 'only payments with it' });
}

/** @throws ValidationFailed */
export function readMonths(text: unknown): number {
  return clampedInteger('months', text, MONTHS);
}

export function MonthsQuery(): MethodDecorator {
  return IntegerQuery('months', MONTHS, 'the current UTC month and those before it');
}
