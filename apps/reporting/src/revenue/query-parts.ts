import { characterCount, LIMITED_IN_WORDS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { badQuery, clampedInteger, knownWord, type IntegerRange } from '@evenkeel/platform/validation';
import { type Basis, BASES } from './figures/basis';
import { type Interval, INTERVALS } from './figures/intervals';
import { daysBetween, MOST_WINDOW_DAYS, type Period } from './figures/window';
import { PAYMENT_GROUPS, type PaymentGroup } from './payments/payment-groups';
import { PAYMENT_STATUSES, type PaymentStatus } from './payments/payment-rows';
import type { QueryPart, QueryTexts } from './revenue-query';

const DAYS = { minimum: 1, maximum: 365, ifAbsent: 30 };
const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 25 };
const MONTHS = { minimum: 1, maximum: 24, ifAbsent: 12 };
const ALONE = 'not with another way to name days';
const COMPARED = ['previous'] as const;

/** From `from` to `to`, so that a range of three years fits. */
const MOST_DAYS_APART = MOST_WINDOW_DAYS - 1;

/** The query of most figures. */
export interface WindowQuestion {
  period: Period;
  basis: Basis;
  compare: boolean;
}

/** An integer, moved into its range. */
function integer(name: string, range: IntegerRange, what: string, more: object = {}): QueryPart<number> {
  const { minimum, maximum, ifAbsent } = range;
  const description = `${what}; clamped to ${minimum} to ${maximum}`;
  return {
    members: [{ name, schema: { type: 'integer', default: ifAbsent, ...more }, description }],
    read: ({ [name]: text }) => clampedInteger(name, text, range),
  };
}

function word<Word extends string>(
  name: string,
  words: readonly Word[],
  description: string,
): QueryPart<Word | undefined> {
  return {
    members: [{ name, enum: [...words], description }],
    read: ({ [name]: text }) => knownWord(name, text, words),
  };
}

const RANGE_MEMBERS = [
  {
    name: 'from',
    schema: { type: 'string', format: 'date', ...LIMITED_IN_WORDS },
    description: 'first UTC day, with `to` in place of `days`',
  },
  {
    name: 'to',
    schema: { type: 'string', format: 'date', ...LIMITED_IN_WORDS },
    description: `last UTC day, at most today and ${MOST_DAYS_APART} days after \`from\``,
  },
] as const;

const MONTH_FORM = /^\d{4}-(0[1-9]|1[0-2])$/;

const PERIOD_MEMBERS = [
  ...RANGE_MEMBERS,
  {
    name: 'month',
    schema: { type: 'string', pattern: MONTH_FORM.source, ...LIMITED_IN_WORDS },
    description: 'a calendar month in place of `days`, `from` and `to`; at most the present one, which ends today',
  },
] as const;

const days = integer('days', DAYS, `the current UTC day and those before it, ${ALONE}`, LIMITED_IN_WORDS);

/** The days of a window; the last ones unless it is said. */
export const PERIOD: QueryPart<Period> = {
  members: [...days.members, ...PERIOD_MEMBERS],
  read: (texts) => periodOf(texts) ?? { days: days.read(texts) },
};

/** The days of a window; undefined for a query that names none. */
export const OPTIONAL_PERIOD: QueryPart<Period | undefined> = {
  members: [
    {
      name: 'days',
      schema: { type: 'integer', ...LIMITED_IN_WORDS },
      description: `only who paid on the current UTC day and those before it, ${ALONE}`,
    },
    ...PERIOD_MEMBERS,
  ],
  read: (texts) => periodOf(texts) ?? (texts.days === undefined ? undefined : { days: days.read(texts) }),
};

const months = integer('months', MONTHS, `the current UTC month and those before it, ${ALONE}`, LIMITED_IN_WORDS);

/** Months in place of days, where the last ones are asked for by their number. */
export const MONTHS_PERIOD: QueryPart<number | Exclude<Period, { days: number }>> = {
  members: [...months.members, ...PERIOD_MEMBERS],
  read: (texts) => rangeOrMonth(texts, 'months') ?? clampedInteger('months', texts.months, MONTHS),
};

export const LIMIT_PART: QueryPart<number> = integer('limit', LIMIT, 'rows at most');

export const COMPARE: QueryPart<boolean> = {
  members: [
    {
      name: 'compare',
      enum: [...COMPARED],
      description:
        'adds `previous`: the same weekdays, as few whole weeks before as leave no day in common; for a month the month ' +
        'before. While today runs, both sides end at the same time of their last day',
    },
  ],
  read: ({ compare }) => knownWord('compare', compare, COMPARED) === 'previous',
};

export const BASIS: QueryPart<Basis> = {
  members: [
    {
      name: 'basis',
      enum: [...BASES],
      schema: { type: 'string', enum: [...BASES], default: 'call' },
      description:
        'a payment is booked on the day of its call, or on the day it settled: then a past day does not change',
    },
  ],
  read: ({ basis }) => knownWord('basis', basis, BASES) ?? 'call',
};

/** The books are closed by settlement. */
export const STATEMENT_BASIS: QueryPart<Basis> = {
  members: [
    {
      name: 'basis',
      enum: [...BASES],
      schema: { type: 'string', enum: [...BASES], default: 'settlement' },
      description: 'a payment is in the month in which it settled, or in that of its call',
    },
  ],
  read: ({ basis }) => knownWord('basis', basis, BASES) ?? 'settlement',
};

/** The month of a statement. */
export const MONTH: QueryPart<string> = {
  members: [
    {
      name: 'month',
      required: true,
      schema: { type: 'string', pattern: MONTH_FORM.source, ...LIMITED_IN_WORDS },
      description: 'a calendar month, at most the present one',
    },
  ],
  read: ({ month }) => {
    if (month === undefined) throw badQuery('month', 'required', 'is required');
    return monthIn(month);
  },
};

export const INTERVAL: QueryPart<Interval> = {
  members: [
    {
      name: 'interval',
      schema: { type: 'string', enum: [...INTERVALS], default: 'day', ...LIMITED_IN_WORDS },
      description: 'the length of a point; hours of at most 8 days, weeks from Monday',
    },
  ],
  read: ({ interval }) => knownWord('interval', interval, INTERVALS) ?? 'day',
};

export const STATUS: QueryPart<PaymentStatus | undefined> = word('status', PAYMENT_STATUSES, 'only payments with it');

export const GROUP: QueryPart<PaymentGroup | undefined> = word(
  'group',
  PAYMENT_GROUPS,
  'only payments of this group of `reconciliation`',
);

const SHORT_TEXT = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\u0000]+$' } as const;

export const ENDPOINT: QueryPart<string | undefined> = {
  members: [
    {
      name: 'endpoint',
      schema: SHORT_TEXT,
      description: `only payments for this path, such as ${PAID_ENDPOINTS[0]!.path}`,
    },
  ],
  read: ({ endpoint }) => shortText('endpoint', endpoint),
};

const ADDRESS = /^0x[0-9a-f]{40}$/i;

export const WALLET: QueryPart<string | undefined> = {
  members: [
    {
      name: 'wallet',
      schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
      description: 'only payments of this wallet, in upper or lower case',
    },
  ],
  read: ({ wallet }) => {
    if (wallet === undefined) return undefined;
    if (!ADDRESS.test(wallet)) throw badQuery('wallet', 'bad_format', 'must be 0x and 40 hexadecimal digits');
    return wallet.toLowerCase();
  },
};

/** Of a payment: looked for in each of its names. */
export const SEARCH: QueryPart<string | undefined> = {
  members: [
    {
      name: 'q',
      schema: SHORT_TEXT,
      description:
        'only the payments whose id, nonce, transaction hash, wallet or request id begins with it; fewer than 8 characters ' +
        'are a whole request id',
    },
  ],
  read: ({ q }) => shortText('q', q),
};

/** Days of the rows of a list; undefined for all. */
export const LIST_DAYS: QueryPart<Period | undefined> = {
  members: [
    { name: 'day', schema: { type: 'string', format: 'date' }, description: 'only payments of this UTC day' },
    {
      name: 'days',
      schema: { type: 'integer', ...LIMITED_IN_WORDS },
      description: `only payments of the current UTC day and those before it, ${ALONE}`,
    },
    ...PERIOD_MEMBERS,
  ],
  read: (texts) => {
    if (texts.day === undefined) return OPTIONAL_PERIOD.read(texts);
    refuseBoth(texts, 'day', ['from', 'to', 'days', 'month']);
    const day = dayIn(texts, 'day');
    return { from: day, to: day };
  },
};

function shortText(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length === 0) throw badQuery(name, 'too_short', 'must have a character');
  if (characterCount(text) > SHORT_TEXT.maxLength) {
    throw badQuery(name, 'too_long', `must have at most ${SHORT_TEXT.maxLength} characters`);
  }
  // PostgreSQL takes no text with it.
  if (text.includes('\0')) throw badQuery(name, 'bad_format', 'must not have the character NUL');
  return text;
}

function periodOf(texts: QueryTexts): Period | undefined {
  return rangeOrMonth(texts, 'days');
}

function rangeOrMonth(
  texts: QueryTexts,
  otherwise: string,
): { from: string; to: string } | { month: string } | undefined {
  if (texts.month === undefined) {
    const range = rangeOf(texts);
    if (range) refuseBoth(texts, 'from', [otherwise]);
    return range;
  }
  refuseBoth(texts, 'month', [otherwise, 'from', 'to']);
  const { month } = texts;
  return { month: monthIn(month) };
}

function monthIn(month: string): string {
  if (!MONTH_FORM.test(month)) throw badQuery('month', 'bad_format', 'must be a month as 2026-01');
  return month;
}

function rangeOf(texts: QueryTexts): { from: string; to: string } | undefined {
  if (texts.from === undefined && texts.to === undefined) return undefined;
  const [from, to] = [dayIn(texts, 'from'), dayIn(texts, 'to')];
  if (from > to) throw badQuery('to', 'out_of_range', 'must not be before from');
  if (daysBetween(from, to) > MOST_DAYS_APART) {
    throw badQuery('to', 'out_of_range', `must be at most ${MOST_DAYS_APART} days after from`);
  }
  return { from, to };
}

function dayIn(texts: QueryTexts, name: string): string {
  const { [name]: day } = texts;
  if (day === undefined) throw badQuery(name, 'required', 'is required with the other end');
  // A day that the calendar does not have, such as 2026-02-30, becomes another one.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day;
  if (!isDay) throw badQuery(name, 'bad_format', 'must be a day as 2026-01-31');
  return day;
}

/** One way at once. */
function refuseBoth(texts: QueryTexts, name: string, others: readonly string[]): void {
  const other = others.find((candidate) => texts[candidate] !== undefined);
  if (other !== undefined) throw badQuery(other, 'conflict', `must not be there with ${name}`);
}
