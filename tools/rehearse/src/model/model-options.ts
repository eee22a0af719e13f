import { choices, CommandLine, flag, integer } from '@evenkeel/platform/command-line';
import { type Configuration, type Size, SIZES } from './configurations';

export interface ModelOptions {
  configurations: Configuration[];
  /** Print the counterexamples. */
  trace: boolean;
  /** Searches at the same time. */
  jobs: number;
  /** Whether what is missing may be installed. */
  installs: boolean;
}

export function modelCommand(all: readonly Configuration[]) {
  return new CommandLine({
    call: 'npm run model',
    about: `Checks the payment protocol of docs/model exhaustively, with spin and gcc: that its properties hold, and that each of
them fails when a rule is left out or a fault is planted. One line for each search; exit 1 when one is not as expected.`,
    options: {
      quick: flag('seconds: the smallest searches'),
      large: flag('the searches of many million states too: half an hour, up to 6 GB'),
      only: choices({ help: 'one search; may be given more than once', of: all.map(({ name }) => name) }),
      trace: flag('print each counterexample that is found'),
      jobs: integer({
        help: 'searches at the same time; --large runs its own one by one',
        ...{ from: 1, to: 16, fallback: 2, must: 'be a whole number from 1 to 16.' },
      }),
      noInstall: flag('as root on Debian too: do not install spin and gcc when they are missing'),
    },
    read: ({ quick, large, only, trace, jobs, noInstall }): ModelOptions => {
      const upTo: Size = large ? 'large' : quick ? 'quick' : 'usual';
      const configurations = only
        ? only.map((name) => all.find((one) => one.name === name)!)
        : all.filter(({ size }) => SIZES.indexOf(size) <= SIZES.indexOf(upTo));
      return { configurations, trace, jobs, installs: !noInstall };
    },
  });
}
