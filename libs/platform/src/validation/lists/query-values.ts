import type { IssueCode } from '@evenkeel/contracts';
import { Param, ParseUUIDPipe } from '@nestjs/common';
import { ValidationFailed } from '../validation-issue';

export interface IntegerRange {
  minimum: number;
  maximum: number;
  /** For a query without the parameter. */
  ifAbsent: number;
}

const INTEGER = /^-?\d+$/;

/** A 400 for one parameter of a query or a path. */
export function badQuery(name: string, code: IssueCode, message: string): ValidationFailed {
  return new ValidationFailed([{ path: `/${name}`, code, message }]);
}

/**
 * An integer of a query, moved into its range.
 * @throws ValidationFailed unless it is one integer
 */
export function clampedInteger(name: string, text: unknown, { minimum, maximum, ifAbsent }: IntegerRange): number {
  if (text === undefined) return ifAbsent;
  if (typeof text !== 'string' || !INTEGER.test(text)) throw badQuery(name, 'wrong_type', 'must be one integer');
  return Math.min(maximum, Math.max(minimum, Number(text)));
}

/**
 * A known word of a query; undefined when the query does not have the parameter.
 * @throws ValidationFailed
 */
export function knownWord<Word extends string>(name: string, text: unknown, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw badQuery(name, 'not_in_enum', `must be one of: ${words.join(', ')}`);
  return word;
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The form of a key, for documents. */
export const IDEMPOTENCY_KEY_SCHEMA = { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 } as const;

/** @throws ValidationFailed for a value of `Idempotency-Key` that is no key: to ignore it would promise what does not hold */
export function assertIdempotencyKey(key: string): void {
  if (!PRINTABLE.test(key))
    throw badQuery('Idempotency-Key', 'bad_format', 'must have 1 to 255 printable characters of ASCII');
}

/** An id in a path: `@UuidParam('orderId') id: string`. One that is no UUID is 400. */
export function UuidParam(name: string): ParameterDecorator {
  const refusal = () => badQuery(name, 'bad_format', 'must be a valid uuid');
  return Param(name, new ParseUUIDPipe({ exceptionFactory: refusal }));
}
