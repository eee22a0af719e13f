import { join } from 'node:path';
import type { Sample } from './lint-samples.fixture';
import { run } from './run.fixture';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const scoring = 'libs/scoring/src/index.ts';
const contracts = 'libs/contracts/src/index.ts';
const platform = 'libs/platform/src/http/index.ts';
const gateway = 'apps/agent-gateway/src/app.module.ts';
const standalone = 'apps/standalone/src/main.ts';
const facilitator = 'tools/facilitator/src/index.ts';
const client = 'libs/client/src/index.ts';
const habitFiles = 'libs/habit-files/src/index.ts';
const ledger = 'apps/agent-gateway/src/ledger/payment-state.ts';
const revenue = 'apps/reporting/src/revenue/revenue-snapshot.ts';

const imports = (from: string) => `import '${from}';\n`;

/** One for each rule, and each kind of project. */
const refused: [what: string, file: string, code: string, rule: string][] = [
  ['an app that imports an app', gateway, imports('@evenkeel/standalone'), BOUNDARIES],
  ['a tool that imports an app', facilitator, imports('@evenkeel/agent-gateway'), BOUNDARIES],
  ['a lib that imports a tool', platform, imports('@evenkeel/services'), BOUNDARIES],
  ['formats of files that know the platform', habitFiles, imports('@evenkeel/platform/http'), BOUNDARIES],
  ['a client that knows the contracts', client, imports('@evenkeel/contracts'), BOUNDARIES],
  ['contracts that know a framework', contracts, imports('@nestjs/common'), BOUNDARIES],
  ['an engine that imports any package', scoring, imports('rxjs'), BOUNDARIES],
  ['an engine that touches the system', scoring, imports('node:fs'), 'no-restricted-imports'],
  ['an engine that looks at the clock', scoring, 'export const now = Date.now();\n', 'no-restricted-globals'],
  ['an engine that throws dice', scoring, 'export const dice = Math.random();\n', 'no-restricted-properties'],
  ['an app that reads the environment', gateway, 'export const port = process.env.PORT;\n', 'no-restricted-syntax'],
  ['an app that makes its own time', gateway, 'export const now = new Date();\n', 'no-restricted-syntax'],
  ['a folder that imports one above it', ledger, imports('../payments/settle-payment'), 'no-restricted-imports'],
  ['the same from further in', revenue, imports('../../dashboard/dashboard-document'), 'no-restricted-imports'],
  ['a platform that knows the product', platform, '/** One row a habit. */\n', 'evenkeel/product-words'],
  ['an export of everything', platform, "export * from './cors';\n", 'no-restricted-syntax'],
];

const allowed: [what: string, file: string, code: string][] = [
  ['standalone, which imports apps', standalone, imports('@evenkeel/agent-gateway') + imports('@evenkeel/services')],
  ['an app, which imports libs', gateway, imports('@evenkeel/platform/http') + imports('@evenkeel/contracts')],
  ['a folder, which imports one below it', ledger, imports('../calls/call')],
  ['a platform, which names what HTTP has', platform, 'void Promise.allSettled([]); // Payment Required\n'],
  ['a given instant', gateway, 'export const noon = new Date(0);\n'],
];

const samples = [...refused, ...allowed].map(([, file, code]): Sample => ({ file, code }));
let broken: string[][];

beforeAll(async () => {
  // Without a graph of the projects the rule says "will be skipped" and passes.
  await run('nx', ['show', 'projects']);
  const program = join(__dirname, 'lint-samples.fixture.ts');
  broken = JSON.parse(
    await run(process.execPath, ['--require', '@swc-node/register', program], JSON.stringify(samples)),
  );
}, 120_000);

describe('the boundaries', () => {
  it.each(refused.map((sample, index) => [sample[0], index] as const))('refuse %s', (_what, index) => {
    expect(broken[index]).toContain(refused[index]![3]);
  });

  it.each(allowed.map((sample, index) => [sample[0], index] as const))('let pass %s', (_what, index) => {
    expect(broken[refused.length + index]).toEqual([]);
  });
});
