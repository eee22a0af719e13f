/** The state before a block is run: nothing, `npm start`, or what `npm run services` starts. */
export type Scene = 'nothing' | 'product' | 'services';

/** How a block of a page is run. */
export interface Run {
  scene: Scene;
  /** It stays: what it prints when it is up. Each line of the block is a terminal of its own. */
  untilItPrints?: RegExp;
  /** Texts that a reader replaces, or types elsewhere. */
  instead?: readonly (readonly [written: string | RegExp, typed: string])[];
  /** Whose `DATABASE_URL` of `npm run services` its terminal has. */
  service?: string;
}

/** Why a block is not run; what it names is checked all the same. */
export interface NotRun {
  because: string;
}

const INSTALLED = ['npm ci && ', ''] as const;
/** As the page says of a local run: settings that `npm start` has written. */
const ofLocalRun = (service: string) => [/^/, `set -a; . .data/${service}.env; set +a\n`] as const;
const PLACEHOLDER = '"$DATABASE_URL"';
const TESTED = 'it is part of npm test';
const NO_ENGINE = 'it needs an engine for containers';
const NEEDS_CLUSTER = 'it needs a cluster';
const LONG = 'it takes many minutes, and has a command of its own';

/** Each block of each page, by the page and its place there, in the order in which they are run. */
export const PLAN: Readonly<Record<string, Run | NotRun>> = {
  'README.md#1': { scene: 'product', instead: [INSTALLED], untilItPrints: /Ctrl-C stops it/ },
  'README.md#2': { scene: 'product' },
  'README.md#3': { because: 'it is npm test' },
  'README.md#4': { because: LONG },
  'docs/mcp.md#1': { scene: 'product' },
  'apps/reporting/README.md#2': { scene: 'product', instead: [ofLocalRun('reporting')] },
  'docs/people.md#1': { scene: 'product' },
  'docs/people.md#2': { because: 'it needs the development Stripe: a test of apps/standalone runs it' },
  'docs/receipts.md#1': { scene: 'product' },
  'tools/ops/README.md#3': { scene: 'product' },
  'tools/buyers/README.md#1': { scene: 'product' },

  'apps/agent-gateway/README.md#1': {
    scene: 'services',
    // The services are there: they are the scene.
    instead: [[/^npm run services.*\n/, '']],
    untilItPrints: /"ready":true/,
  },
  'apps/agent-gateway/README.md#2': {
    scene: 'services',
    service: 'agent-gateway',
    untilItPrints: /"ready":true[^]*"ready":true/,
  },
  'README.md#5': {
    scene: 'services',
    service: 'reporting',
    // Main and worker stay: that they start from dist is a test of tools/services.
    instead: [[/^node .*\/(?:main|worker)\.js.*\n/gm, '']],
  },
  'apps/reporting/README.md#1': { because: 'it needs payments of a month: tests of apps/reporting ask the same' },
  'tools/ops/README.md#1': {
    scene: 'services',
    // They need the worker of a service: the page of reporting has them too.
    instead: [[/^npm run events:re.*\n/gm, '']],
  },
  'tools/ops/README.md#4': {
    scene: 'services',
    service: 'billing',
    instead: [
      ['postgres://…', PLACEHOLDER.replace('DATABASE_URL', 'SEEDED_URL')],
      ['postgres://…', PLACEHOLDER.replace('DATABASE_URL', 'SEEDED_URL')],
      ['10000000', '10000'],
    ],
  },
  'tools/ops/README.md#5': {
    because: 'it needs a database of accounts: tests of apps/accounts sign in as whom it makes',
  },
  'docs/traces.md#1': { because: 'it needs a collector of traces' },
  'tools/ops/README.md#2': { because: 'it speaks of settings of production: a test of tools/ops runs it' },

  'docs/model/README.md#1': { scene: 'nothing', instead: [[/^npm run model (?!-- --quick).*\n/gm, '']] },
  'libs/kernel/README.md#1': { scene: 'nothing' },
  'libs/scoring/vectors/README.md#1': { scene: 'nothing' },
  'tools/backtest/README.md#1': { scene: 'nothing', instead: [[/^.*Loop-Habits-Backup.*\n/m, '']] },
  'docs/scoring.md#1': { because: 'it needs a file of the reader: tools/backtest makes one' },
  'bench/README.md#1': { because: LONG },
  'tools/deploy/README.md#1': { because: LONG },
  'tools/rehearse/README.md#1': { because: LONG },
  'tools/deploy/README.md#2': { because: TESTED },
  'tools/deploy/README.md#3': { because: TESTED },
  'tools/workspace/README.md#1': { because: TESTED },
  'tools/workspace/README.md#2': { because: 'it is this' },
  'docker/README.md#1': { because: NO_ENGINE },
  'docker/README.md#2': { because: NO_ENGINE },
  'docker/README.md#3': { because: NO_ENGINE },
  'docker/README.md#4': { because: NO_ENGINE },
  'k8s/README.md#1': { because: NEEDS_CLUSTER },
  'k8s/README.md#2': { because: NEEDS_CLUSTER },
  'k8s/README.md#3': { because: NEEDS_CLUSTER },
  'k8s/README.md#4': { because: NEEDS_CLUSTER },
  'k8s/README.md#5': { because: NEEDS_CLUSTER },
  'k8s/examples/backing/README.md#1': { because: NEEDS_CLUSTER },
  'docs/operations/commands.md#1': { because: NO_ENGINE },
  'docs/operations/database.md#1': { because: 'it needs the clients of PostgreSQL' },
  'docs/operations/release.md#1': { because: NEEDS_CLUSTER },
  'docs/operations/release.md#2': { because: NEEDS_CLUSTER },
  'docs/operations/release.md#3': { because: NEEDS_CLUSTER },
  'docs/operations/release.md#4': { because: NEEDS_CLUSTER },
  'docs/operations/release.md#5': { because: NEEDS_CLUSTER },
  'docs/operations/release.md#6': { because: NEEDS_CLUSTER },
};

/** The name of a block in the plan. */
export function planned<Block extends { file: string }>(blocks: readonly Block[]): ReadonlyMap<string, Block> {
  const counts = new Map<string, number>();
  return new Map(
    blocks.map((block) => {
      const place = (counts.get(block.file) ?? 0) + 1;
      counts.set(block.file, place);
      return [`${block.file}#${place}`, block];
    }),
  );
}
