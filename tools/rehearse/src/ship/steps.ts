import { BadUsage, CommandLine, choices, text } from '@evenkeel/platform/command-line';
import { NothingReleased } from '../compat/release';

/** One long check: a script of package.json. */
export interface Step {
  name: string;
  /** What it shows, for the help. */
  about: string;
  script: string;
  args?: readonly string[];
  /** Started before it, and ended after it: what it is run against. */
  against?: 'cluster';
  /** Exit code with which it says that there is nothing yet to check. */
  nothingYet?: number;
}

/**
 * Small ones first: what is wrong shows early. Sizes are such that all together take less than an hour on two quiet cores.
 * A soak has all kinds at once, each at a tenth of its rate: as many requests as all kinds in turn at half of theirs.
 */
export const STEPS: readonly Step[] = [
  { name: 'model', about: 'payments and credits, every order of every step', script: 'model' },
  { name: 'image', about: 'the images, stage by stage, and every program in them', script: 'image:check' },
  {
    ...{ name: 'compat', about: 'the release before on the schema of this one' },
    ...{ script: 'compat:check', nothingYet: NothingReleased.exitCode },
  },
  {
    ...{ name: 'journeys', about: 'the journeys of people and buyers, against a cluster' },
    ...{ script: 'cluster', args: ['journeys'], against: 'cluster' },
  },
  {
    ...{ name: 'cluster', about: 'restarts of everything under load, and two of each started at once' },
    ...{ script: 'cluster', args: ['check', '--rounds', '5'] },
  },
  { name: 'faults', about: 'everything below the services fails, one after the other', script: 'faults' },
  {
    ...{ name: 'random', about: 'faults and kills at random, then the books' },
    ...{ script: 'faults', args: ['--random', '--minutes', '5'] },
  },
  { name: 'restore', about: 'dumps of a running cluster, restored', script: 'restore:rehearse' },
  { name: 'load', about: 'each kind of request at the rate of a busy day', script: 'load', against: 'cluster' },
  {
    ...{ name: 'soak', about: 'all kinds for some minutes, memory and lag watched' },
    ...{ script: 'soak', args: ['--minutes', '8', '--scale', '0.1'], against: 'cluster' },
  },
];

export const STEP_NAMES = STEPS.map(({ name }) => name);

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
