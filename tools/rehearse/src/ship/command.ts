import { BadUsage, choices, CommandLine, text } from '@evenkeel/platform/command-line';
import { STEP_NAMES, STEPS, type Step } from './steps';

const WIDTH = Math.max(...STEP_NAMES.map((name) => name.length)) + 2;

export const SHIP = new CommandLine({
  call: 'npm run ship:check',
  about: 'All long checks before a release, one after the other: under an hour on two quiet cores.',
  usage: [
    'npm run ship:check',
    'npm run ship:check -- --only faults --only restore',
    'npm run ship:check -- --skip soak',
    'npm run ship:check -- --ref v1.4.0               the release that compat takes as the one before',
  ],
  parts: { Checks: STEPS.map(({ name, about }) => `${name.padEnd(WIDTH)}${about}`).join('\n') },
  options: {
    only: choices({ help: 'these alone; may be given more than once', of: STEP_NAMES }),
    skip: choices({ help: 'all but these; may be given more than once', of: STEP_NAMES }),
    ref: text({ help: 'release of compat', placeholder: 'commit', otherwise: 'the last tag v<number>…' }),
  },
  environment: { DATA_DIR: 'where the output of each check is, in ship/ (.data)' },
  ends: `A check that fails does not stop the others. Ends with 1 when one has failed, else with 0; before the first release, compat
has nothing to check, and says so in place of a verdict.`,
  read: ({ only, skip = [], ref }): Step[] => {
    const wanted = STEPS.filter(({ name }) => (only?.includes(name) ?? true) && !skip.includes(name));
    if (wanted.length === 0) throw new BadUsage('Nothing is left to check');
    if (ref === undefined) return wanted;
    if (!wanted.some(({ name }) => name === 'compat')) throw new BadUsage('--ref is of compat, which is left out');
    return wanted.map((step) => (step.name === 'compat' ? { ...step, args: ['--ref', ref] } : step));
  },
});
