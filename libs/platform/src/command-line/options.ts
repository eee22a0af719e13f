import { InvalidArgumentError, Option } from '@commander-js/extra-typings';

/** An option for an integer of a range: digits alone, neither a sign nor an exponent. */
export function integerOption<const Flags extends string>(flags: Flags, about: string, from: number, to: number) {
  return numberOption(flags, about, { from, to, form: /^\d+$/, kind: 'an integer' });
}

/** An option for a number of a range, as JavaScript reads it. */
export function decimalOption<const Flags extends string>(flags: Flags, about: string, from: number, to: number) {
  return numberOption(flags, about, { from, to, form: /\S/, kind: 'a number' });
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
