import { ValidateBy } from 'class-validator';

const DATE = /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const TIME = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?/;
const OFFSET = /Z|[+-](?:[01]\d|2[0-3]):[0-5]\d/;
const RFC_3339 = new RegExp(`^${DATE.source}T${TIME.source}(?:${OFFSET.source})$`);

/** An instant of RFC 3339 with seconds and offset, on a day that exists: `Date.parse` alone lets 30 February pass. */
export function isInstant(text: unknown): text is string {
  const parts = typeof text === 'string' ? RFC_3339.exec(text) : null;
  return parts !== null && Number(parts[3]) <= daysIn(Number(parts[1]), Number(parts[2]));
}

/** An instant as a string, `date-time` in the schema. */
export function Instant(): PropertyDecorator {
  return ValidateBy({ name: 'isInstant', validator: { validate: isInstant } });
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
