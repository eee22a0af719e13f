import type { Texts } from '../texts/workspace-texts';

/** Commands that a reader types: a fenced block of a page. */
export interface Block {
  file: string;
  text: string;
}

/** Every block of shell commands of every page, by the page and its number there: `README.md#1`. */
export function shellBlocks(texts: Texts): ReadonlyMap<string, Block> {
  const blocks = new Map<string, Block>();
  for (const [file, text] of texts) {
    // A tool of their own runs those of docs/buy, each in a folder of its own: tools/buyers.
    if (!file.endsWith('.md') || file.startsWith('docs/buy/')) continue;
    const found = text.matchAll(/^```(?:sh|bash|shell|console)\n([^]*?)^```/gm);
    [...found].forEach((match, index) => blocks.set(`${file}#${index + 1}`, { file, text: match[1]! }));
  }
  return blocks;
}

/** How a block of a page is run. */
export interface Run {
  /** The state before: nothing, `npm start`, or what `npm run services` starts. */
  scene: 'nothing' | 'product' | 'services';
  /** It stays: what it prints when it is up. Each line of the block is a terminal of its own. */
  untilItPrints?: RegExp;
  /** Texts that a reader replaces, or types elsewhere. */
  instead?: readonly (readonly [written: string | RegExp, typed: string])[];
  /** Whose `DATABASE_URL` of `npm run services` its terminal has. */
  service?: string;
}

const SEEDED = ['postgres://…', '"$SEEDED_URL"'] as const;

/**
 * The blocks that are run, in this order. The others need a cluster, an engine for containers, files of the reader or an hour; what
 * they name is checked all the same.
 */
export const PLAN: Readonly<Record<string, Run>> = {
  'README.md#1': { scene: 'product', instead: [['npm ci && ', '']], untilItPrints: /Ctrl-C stops it/ },
  'README.md#2': { scene: 'product' },
  'docs/mcp.md#1': { scene: 'product' },
  // As the page says of a local run: settings that `npm start` has written.
  'apps/reporting/README.md#2': { scene: 'product', instead: [[/^/, 'set -a; . .data/reporting.env; set +a\n']] },
  'docs/people.md#1': { scene: 'product' },
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
  // They need the worker of a service: the page of reporting has them too.
  'tools/ops/README.md#1': { scene: 'services', instead: [[/^npm run events:re.*\n/gm, '']] },
  'tools/ops/README.md#4': { scene: 'services', service: 'billing', instead: [SEEDED, SEEDED, ['10000000', '10000']] },
  'docs/model/README.md#1': { scene: 'nothing', instead: [[/^npm run model (?!-- --quick).*\n/gm, '']] },
  'libs/scoring/vectors/README.md#1': { scene: 'nothing' },
  'tools/backtest/README.md#1': { scene: 'nothing', instead: [[/^.*Loop-Habits-Backup.*\n/m, '']] },
};
