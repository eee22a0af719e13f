import { ValidateBy } from 'class-validator';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An instant of RFC 3339 with seconds and offset, on a day that exists: `Date.parse` alone lets 30 February pass. */
export function isInstant(text: unknown): text is string {
  const parts = typeof text === 'string' ? RFC_3339.exec(text) : null;
  if (!parts) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return (
    month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59 && second <= 59
  );
}

/** An instant as a string, `date-time` in the schema. */
export function Instant(): PropertyDecorator {
  return ValidateBy({ name: 'isInstant', validator: { validate: isInstant } });
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
