import { type IssueCode, ValidationFailed } from '@evenkeel/platform/validation';
import { ApiQuery } from '@nestjs/swagger';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments/payment-rows';

interface IntegerRange {
  minimum: number;
  maximum: number;
  /** For a query that does not name it. */
  ifAbsent: number;
}

const INTEGER = /^-?\d+$/;
const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };
const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 25 };
const WORDS = ['previous'] as const;
const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };

/** A 400 for one parameter of a query. */
export function badQuery(name: string, code: IssueCode, message: string): ValidationFailed {
  return new ValidationFailed([{ path: `/${name}`, code, message }]);
}

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
function IntegerQuery(name: string, range: IntegerRange, what: string): MethodDecorator {
  const { minimum, maximum, ifAbsent } = range;
  const description = `${what}; clamped to ${minimum} to ${maximum}`;
  return ApiQuery({ name, required: false, schema: { type: 'integer', default: ifAbsent }, description });
}

/**
 * A word of a query that must be one of ours; undefined when the query does not name it.
 * @throws ValidationFailed
 */
export function knownWord<Word extends string>(name: string, text: unknown, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw badQuery(name, 'not_in_enum', `must be one of: ${words.join(', ')}`);
  return word;
}

/** @throws ValidationFailed */
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
 * Whether the same figures of the days before are asked for.
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
