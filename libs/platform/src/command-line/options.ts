/** The command line cannot be understood; the message says which part. */
export class BadUsage extends Error {
  override readonly name = 'BadUsage';
}

/** One option of a command: how it is read, and what the help says of it. */
export interface Option<Value> {
  /** Placeholder of its value in the help; null for a flag, which takes none. */
  readonly placeholder: string | null;
  readonly help: string;
  /** Whether it may be given more than once; `read` then takes all values. */
  readonly repeats: boolean;
  /** @param texts as typed; empty when it is not there @throws BadUsage */
  read(texts: readonly string[], name: string): Value;
}

/** The values that a set of options gives. */
export type ValuesOf<Options> = { [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never };

interface Described {
  help: string;
  /** Placeholder of the value in the help. */
  placeholder?: string;
  /** The value without the option. */
  fallback?: string | number;
  /** The same, where that is no constant: `today`. */
  otherwise?: string;
  /** Of a value that is not taken: `must <this>`. */
  must?: string;
}

interface NumberOption extends Described {
  from: number;
  to: number;
}

interface ChoiceOption extends Described {
  of: readonly string[];
}

/** The value of an option that has a fallback, else it may be undefined. */
type Read<Value, Given> = Given extends { fallback: Value } ? Value : Value | undefined;

/** On when it is there. */
export function flag(help: string): Option<boolean> {
  return { placeholder: null, help, repeats: false, read: (texts) => texts.length > 0 };
}

/** Any text, or one that matches. */
export function text<Given extends Described & { matches?: RegExp }>(option: Given): Option<Read<string, Given>> {
  const { matches = /^/, must = `match ${matches}` } = option;
  return single(option, 'text', (typed, name) => {
    if (!matches.test(typed)) throw new BadUsage(`${name} must ${must}`);
    return typed;
  });
}

/** Digits alone: neither a sign nor an exponent. */
export function integer<Given extends NumberOption>(option: Given): Option<Read<number, Given>> {
  return numeric(option, /^\d+$/, 'an integer');
}

/** As JavaScript reads a number. */
export function decimal<Given extends NumberOption>(option: Given): Option<Read<number, Given>> {
  return numeric(option, /\S/, 'a number');
}

/** One of a list. */
export function choice<const Given extends ChoiceOption>(option: Given): Option<Read<Given['of'][number], Given>> {
  return single(option, 'name', (typed, name) => oneOf(option.of, typed, name));
}

/** Some of a list, each after an option of its own; undefined when there is none. */
export function choices<const Given extends ChoiceOption>(option: Given): Option<Given['of'][number][] | undefined> {
  const read = (texts: readonly string[], name: string) =>
    texts.length === 0 ? undefined : texts.map((typed) => oneOf(option.of, typed, name));
  return { placeholder: option.placeholder ?? 'name', help: helpOf(option), repeats: true, read };
}

/** @throws BadUsage */
export function oneOf<Choice extends string>(choices: readonly Choice[], typed: string, name: string): Choice {
  const found = choices.find((one) => one === typed);
  if (found === undefined) throw new BadUsage(`${name} must be one of ${choices.join(', ')}, not ${typed}`);
  return found;
}

/** The one argument that a command takes beside its options. @throws BadUsage with one of the two sentences */
export function oneArgument(given: readonly string[], sentences: { missing: string; more: string }): string {
  const [first, ...more] = given;
  if (first === undefined) throw new BadUsage(sentences.missing);
  if (more.length > 0) throw new BadUsage(`${sentences.more}, not also: ${more.join(' ')}`);
  return first;
}

function numeric<Value>(option: NumberOption, form: RegExp, kind: string): Option<Value> {
  const { from, to, must = `be ${kind} from ${from} to ${to}` } = option;
  const read = (typed: string, name: string): number => {
    const value = Number(typed);
    if (!form.test(typed) || !(value >= from && value <= to)) throw new BadUsage(`${name} must ${must}`);
    return value;
  };
  const range = `${from} to ${to}`;
  return single({ ...option, help: option.help === '' ? range : `${option.help}, ${range}` }, 'n', read);
}

/** @param read gives a `Value`, as the fallback is one */
function single<Value>(
  option: Described,
  placeholder: string,
  read: (typed: string, name: string) => unknown,
): Option<Value> {
  return {
    placeholder: option.placeholder ?? placeholder,
    help: helpOf(option),
    repeats: false,
    read: ([typed], name) => (typed === undefined ? option.fallback : read(typed, name)) as Value,
  };
}

function helpOf({ help, fallback, otherwise }: Described): string {
  const without = otherwise ?? fallback;
  return without === undefined ? help : `${help} (${without})`.trimStart();
}
