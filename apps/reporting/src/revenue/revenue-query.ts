import { LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { badQuery, clampedInteger, knownWord, type IntegerRange } from '@evenkeel/platform/validation';
import { type Basis, BASES } from './figures/span-rows';
import { type Interval, INTERVALS } from './figures/intervals';
import { daysBetween, MOST_WINDOW_DAYS, type Period } from './figures/window';
import { QueryMember } from '../operator-access/query-member';

const ALONE = 'not with another way to name days';
const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };
const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };

/** From `from` to `to`, so that a range of three years fits. */
const MOST_DAYS_APART = MOST_WINDOW_DAYS - 1;

const MONTH_SCHEMA = { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$', ...LIMITED_IN_WORDS };

export const COMPARED =
  'adds `previous`: the same weekdays, as few whole weeks before as leave no day in common; for a month the month ' +
  'before. While today runs, both sides end at the same time of their last day';

function IntegerMember(range: IntegerRange, what: string, more: object = {}): PropertyDecorator {
  const { minimum, maximum, ifAbsent } = range;
  const description = `${what}; clamped to ${minimum} to ${maximum}`;
  const schema = { type: 'integer', default: ifAbsent, ...more };
  return QueryMember(schema, description, (name, text) => clampedInteger(name, text, range));
}

export function WordMember(words: readonly string[], description: string, more: object = {}): PropertyDecorator {
  const schema = { type: 'string', enum: [...words], ...more };
  return QueryMember(schema, description, (name, text) => knownWord(name, text, words));
}

/** Undefined as a default: without it all days are meant. */
export function DaysMember(description: string): PropertyDecorator {
  const schema = { type: 'integer', ...LIMITED_IN_WORDS };
  return QueryMember(schema, `${description}, ${ALONE}`, (name, text) => clampedInteger(name, text, DAYS));
}

export const DAY_SCHEMA = { type: 'string', format: 'date', ...LIMITED_IN_WORDS };
const FromMember = QueryMember(DAY_SCHEMA, 'first UTC day, from 2000-01-01 on, with `to` in place of `days`', readDay);
const ToMember = QueryMember(
  DAY_SCHEMA,
  `last UTC day, at most today and ${MOST_DAYS_APART} days after \`from\``,
  readDay,
);
const MonthMember = QueryMember(
  MONTH_SCHEMA,
  'a calendar month in place of `days`, `from` and `to`; at most the present one, which ends today',
  readMonth,
);
export const BasisMember = WordMember(
  BASES,
  'a payment is booked on the day of its call, or on the day it settled: then a past day does not change',
  { default: 'call' },
);
const CompareMember = WordMember(['previous'], COMPARED);
export const LimitMember = IntegerMember({ minimum: 1, maximum: 200, ifAbsent: 25 }, 'rows at most');

export class NoQuery {}

export class ChangesQuery {
  @QueryMember({ type: 'string' }, '`version` of an earlier answer') since?: string;
}

export class ReconciliationQuery {
  @LimitMember limit = 25;
}

/** The ways to name days, beside a number of days; one at once. */
export abstract class NamedDaysQuery {
  @FromMember from?: string;
  @ToMember to?: string;
  @MonthMember month?: string;

  check(): void {
    checkPeriod(this);
  }

  /** Undefined where no days are named. */
  protected get named(): Period | undefined {
    const { from, to, month, days } = this as { from: string; to?: string; month?: string; days?: number };
    if (month !== undefined) return { month };
    if (to !== undefined) return { from, to };
    return days === undefined ? undefined : { days };
  }
}

/** The days of a window; the last ones unless it is said. */
export class PeriodQuery extends NamedDaysQuery {
  @IntegerMember(DAYS, `the current UTC day and those before it, ${ALONE}`, LIMITED_IN_WORDS) days?: number;

  get period(): Period {
    return this.named ?? { days: DAYS.ifAbsent };
  }
}

export class ComparedPeriodQuery extends PeriodQuery {
  @CompareMember compare?: 'previous';
}

export class BasisQuery extends PeriodQuery {
  @BasisMember basis: Basis = 'call';
}

export class FiguresQuery extends BasisQuery {
  @CompareMember compare?: 'previous';
}

export class SeriesQuery extends FiguresQuery {
  @WordMember(INTERVALS, 'the length of a point; hours of at most 8 days, weeks from Monday', {
    default: 'day',
    ...LIMITED_IN_WORDS,
  })
  interval: Interval = 'day';
}

/** Months in place of days, where the last ones are asked for by their number. */
export class CohortsQuery extends NamedDaysQuery {
  @IntegerMember(MONTHS, `the current UTC month and those before it, ${ALONE}`, LIMITED_IN_WORDS) months?: number;

  /** Undefined for the last months. */
  get period(): Period | undefined {
    return this.named;
  }

  get lastMonths(): number {
    return this.months ?? MONTHS.ifAbsent;
  }
}

/** The books are closed by settlement. */
export class StatementQuery {
  @QueryMember(MONTH_SCHEMA, 'a calendar month, at most the present one', readMonth, true) month!: string;
  @WordMember(BASES, 'a payment is in the month in which it settled, or in that of its call', { default: 'settlement' })
  basis: Basis = 'settlement';
}

/** The ways to name days; one at once. */
const WAYS = ['day', 'month', 'from', 'to', 'days', 'months'] as const;
type NamedDays = { [Way in (typeof WAYS)[number]]?: string | number };

/** @throws ValidationFailed for half a range, one that is too long or ends before it begins, and for two ways at once */
function checkPeriod(query: NamedDays): void {
  const [way, ...others] = WAYS.filter((name) => query[name] !== undefined);
  if (way === 'from' || way === 'to') checkRange(query as { from?: string; to?: string });
  const other = others.find((name) => way !== 'from' || name !== 'to');
  if (other !== undefined) throw badQuery(other, 'conflict', `must not be there with ${way}`);
}

function checkRange({ from, to }: { from?: string; to?: string }): void {
  if (from === undefined) throw badQuery('from', 'required', 'is required with the other end');
  if (to === undefined) throw badQuery('to', 'required', 'is required with the other end');
  if (from > to) throw badQuery('to', 'out_of_range', 'must not be before from');
  if (daysBetween(from, to) > MOST_DAYS_APART) {
    throw badQuery('to', 'out_of_range', `must be at most ${MOST_DAYS_APART} days after from`);
  }
}

function readMonth(name: string, text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw badQuery(name, 'bad_format', 'must be a month as 2026-01');
  assertNotBefore(name, text, '2000-01');
  return text;
}

/** A day that the calendar does not have, such as 2026-02-30, becomes another one, and is refused. */
export function readDay(name: string, text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
  if (!isDay) throw badQuery(name, 'bad_format', 'must be a day as 2026-01-31');
  assertNotBefore(name, text, '2000-01-01');
  if (text > LAST_DAY) throw badQuery(name, 'out_of_range', `must be at most ${LAST_DAY}`);
  return text;
}

/** The day after it, which ends a range, is still written with four digits. */
const LAST_DAY = '9999-12-30';

/** PostgreSQL has no year 0, and JavaScript takes the years up to 99 for those of the last century. */
function assertNotBefore(name: string, text: string, first: string): void {
  if (text < first) throw badQuery(name, 'out_of_range', `must be at least ${first}`);
}
