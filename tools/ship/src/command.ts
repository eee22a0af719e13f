import { BadUsage, choices, CommandLine } from '@evenkeel/platform/command-line';
import { STEP_NAMES, STEPS, type Step } from './steps';

const WIDTH = Math.max(...STEP_NAMES.map((name) => name.length)) + 2;

export const SHIP = new CommandLine({
  call: 'npm run ship:check',
  about: 'All long checks before a release, one after the other: under an hour on two quiet cores.',
  usage: [
    'npm run ship:check',
    'npm run ship:check -- --only faults --only restore',
    'npm run ship:check -- --skip soak',
  ],
  parts: { Checks: STEPS.map(({ name, about }) => `${name.padEnd(WIDTH)}${about}`).join('\n') },
  options: {
    only: choices({ help: 'these alone; may be given more than once', of: STEP_NAMES }),
    skip: choices({ help: 'all but these; may be given more than once', of: STEP_NAMES }),
  },
  environment: { DATA_DIR: 'where the output of each check is, in ship/ (.data)' },
  ends: 'A check that fails does not stop the others. Ends with 1 when one has failed.',
  read: ({ only, skip = [] }): Step[] => {
    const wanted = STEPS.filter(({ name }) => (only?.includes(name) ?? true) && !skip.includes(name));
    if (wanted.length === 0) throw new BadUsage('Nothing is left to check');
    return wanted;
  },
});
