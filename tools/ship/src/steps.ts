/** One long check: a script of package.json. */
export interface Step {
  name: string;
  /** What it shows, for the help. */
  about: string;
  script: string;
  args?: readonly string[];
  /** Started before it, and ended after it: what it is run against. */
  against?: 'cluster';
}

/** Small ones first: what is wrong shows early. Sizes are such that all together take less than an hour on two quiet cores. */
export const STEPS: readonly Step[] = [
  { name: 'model', about: 'payments and credits, every order of every step', script: 'model' },
  { name: 'image', about: 'the images, stage by stage, and every program in them', script: 'image:check' },
  { name: 'compat', about: 'the release before on the schema of this one', script: 'compat:check' },
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
  { name: 'load', about: 'the load of a busy day', script: 'load' },
  { name: 'soak', about: 'half of it for some minutes', script: 'soak', args: ['--minutes', '5'] },
];

export const STEP_NAMES = STEPS.map(({ name }) => name);
