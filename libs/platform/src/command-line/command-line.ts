import { parseArgs, type ParseArgsConfig } from 'node:util';
import { BadUsage, type Option, type ValuesOf } from './options';

type Options = Readonly<Record<string, Option<unknown>>>;

/** A command, declared once: its options are read and explained from here. */
interface CommandDeclaration<Declared extends Options, Wanted> {
  /** The command before its options: `npm run seed`. */
  call: string;
  /** Its purpose. */
  about: string;
  /** Lines that show how to call it. */
  usage?: readonly string[];
  /** Further parts of the help, before the options: title and text. */
  parts?: Readonly<Record<string, string>>;
  /** By their names in code: `publicUrl` is `--public-url`. */
  options: Declared;
  /** Variables that it reads, and what they are. */
  environment?: Readonly<Record<string, string>>;
  /** The end of the help: exit codes. */
  ends?: string;
  /** Whether anything but options may follow. */
  takesArguments?: boolean;
  /** Makes of the values what the command works with. @throws BadUsage */
  read(values: ValuesOf<Declared>, given: readonly string[]): Wanted;
}

const HELP: Option<boolean> = { placeholder: null, help: 'this text', repeats: false, read: () => true };

/** Reads what follows the name of a program, by a declaration. */
export class CommandLine<Declared extends Options, Wanted> {
  constructor(private readonly declaration: CommandDeclaration<Declared, Wanted>) {}

  /** The command that shows the help. */
  get howToAskForHelp(): string {
    const { call } = this.declaration;
    return `${call}${call.includes(' -- ') ? '' : ' --'} --help`;
  }

  get help(): string {
    const { about, usage = [], parts = {}, options, environment = {}, ends = '' } = this.declaration;
    const explained = Object.entries({ ...options, help: HELP }).map(([name, { placeholder, help }]) => {
      return [`${typedName(name)}${placeholder === null ? '' : ` <${placeholder}>`}`, help] as const;
    });
    const variables = Object.entries(environment);
    const sections = [
      about,
      indented(usage.join('\n'), 2),
      ...Object.entries(parts).map(([title, text]) => `${title}\n${indented(text, 2)}`),
      `Options\n${columns(explained)}`,
      variables.length > 0 ? `Environment\n${columns(variables)}` : '',
      ends,
    ].map((section) => section.trimEnd());
    return `${sections.filter(Boolean).join('\n\n')}\n`;
  }

  /**
   * @param args what follows the name of the program
   * @returns `help` when the text was asked for, whatever else is there
   * @throws BadUsage
   */
  parse(args: readonly string[]): Wanted | 'help' {
    const { options, takesArguments = false } = this.declaration;
    const { values, positionals } = this.split(args, takesArguments);
    if (values['help'] !== undefined) return 'help';
    const valuesByName = Object.entries(options).map(([name, option]) => {
      const typed = typedName(name);
      const texts = [values[typed.slice(2)] ?? []].flat().map(String);
      return [name, option.read(texts, typed)];
    });
    return this.declaration.read(Object.fromEntries(valuesByName) as ValuesOf<Declared>, positionals);
  }

  private split(args: readonly string[], allowPositionals: boolean) {
    const options: NonNullable<ParseArgsConfig['options']> = {};
    for (const [name, { placeholder, repeats }] of Object.entries({ ...this.declaration.options, help: HELP })) {
      options[typedName(name).slice(2)] = { type: placeholder === null ? 'boolean' : 'string', multiple: repeats };
    }
    try {
      return parseArgs({ args: [...args], allowPositionals, options });
    } catch (error) {
      // Node adds advice about its own syntax after the first sentence.
      throw new BadUsage((error as Error).message.split('. ')[0]);
    }
  }
}

function typedName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Two columns; what has more lines goes on under its beginning. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${indented(text, width + 2).trimStart()}`).join('\n');
}

function indented(text: string, by: number): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`.trimEnd())
    .join('\n');
}
