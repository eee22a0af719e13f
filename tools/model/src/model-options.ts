import { parseArgs } from 'node:util';
import { type Configuration, type Size, SIZES } from './configurations';

export interface ModelOptions {
  help: boolean;
  configurations: Configuration[];
  /** Tell the counterexamples. */
  trace: boolean;
  /** Searches at the same time. */
  jobs: number;
  /** Whether what is missing may be installed. */
  installs: boolean;
}

export const HELP = `Checks the payment protocol of docs/model exhaustively, with spin and gcc: that its properties hold, and that each of
them fails when a rule is left out or a fault is planted. One line for each search; exit 1 when one is not as expected.

Options
  --quick          seconds: the smallest searches
  --large          the searches of many million states too: half an hour, up to 6 GB
  --only <name>    one search; may be given more than once
  --trace          tell each counterexample that is found
  --jobs <n>       searches at the same time, 1 to 16 (2); --large runs its own one by one
  --no-install     as root on Debian too: do not install spin and gcc when they are missing
  --help           this text
`;

/** @throws Error with a sentence for the person who typed it */
export function readOptions(args: string[], all: readonly Configuration[]): ModelOptions {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      trace: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '2' },
      'no-install': { type: 'boolean', default: false },
    },
  });
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 16) throw new Error('--jobs must be a whole number from 1 to 16.');
  const upTo: Size = values.large ? 'large' : values.quick ? 'quick' : 'usual';
  const configurations = values.only ? named(values.only, all) : all.filter((one) => isWithin(one.size, upTo));
  return { help: values.help, configurations, trace: values.trace, jobs, installs: !values['no-install'] };
}

function isWithin(size: Size, upTo: Size): boolean {
  return SIZES.indexOf(size) <= SIZES.indexOf(upTo);
}

function named(names: readonly string[], all: readonly Configuration[]): Configuration[] {
  return names.map((name) => {
    const one = all.find((configuration) => configuration.name === name);
    if (!one) throw new Error(`--only ${name}: there are ${all.map((each) => each.name).join(', ')}.`);
    return one;
  });
}
