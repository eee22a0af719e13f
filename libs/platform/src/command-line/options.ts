import { InvalidArgumentError, Option } from '@commander-js/extra-typings';

/** An option for an integer of a range: digits alone, neither a sign nor an exponent. */
export function integerOption<const Flags extends string>(flags: Flags, about: string, from: number, to: number) {
  return numberOption(flags, about, { from, to, form: /^\d+$/, kind: 'an integer' });
}

/** An option for a number of a range, as JavaScript reads it. */
export function decimalOption<const Flags extends string>(flags: Flags, about: string, from: number, to: number) {
  return numberOption(flags, about, { from, to, form: /\S/, kind: 'a number' });
}

const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * An instant with its zone, as it is typed, or a day, which begins in UTC.
 * @returns undefined for anything else, such as 2026-02-30, which JavaScript takes for another day
 */
export function readInstant(typed: string): Date | undefined {
  const day = INSTANT.exec(typed)?.[1];
  if (day === undefined || new Date(day).toJSON()?.slice(0, day.length) !== day) return undefined;
  const at = new Date(typed);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

interface NumberRule {
  from: number;
  to: number;
  form: RegExp;
  kind: string;
}

function numberOption<const Flags extends string>(flags: Flags, about: string, { from, to, form, kind }: NumberRule) {
  return new Option(flags, `${about}, ${from} to ${to}`).argParser((typed: string): number => {
    const value = Number(typed);
    if (form.test(typed) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be ${kind} from ${from} to ${to}.`);
  });
}
