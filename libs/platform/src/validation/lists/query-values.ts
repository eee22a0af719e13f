import { Param, ParseUUIDPipe } from '@nestjs/common';
import { ValidationFailed, type IssueCode } from '../validation-issue';

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

/** An id in a path: `@UuidParam('orderId') id: string`. One that is no UUID is 400. */
export function UuidParam(name: string): ParameterDecorator {
  const refusal = () => badQuery(name, 'bad_format', 'must be a valid uuid');
  return Param(name, new ParseUUIDPipe({ exceptionFactory: refusal }));
}
