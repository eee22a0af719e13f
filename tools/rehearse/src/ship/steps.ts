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
