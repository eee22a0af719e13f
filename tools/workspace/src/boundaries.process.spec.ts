import { join } from 'node:path';
import type { Sample } from './lint-samples.fixture';
import { run } from './run.fixture';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const PRODUCT_WORDS = 'evenkeel/product-words';
const CITATIONS = 'evenkeel/citations';
const scoring = 'libs/scoring/src/index.ts';
const kernel = 'libs/kernel/src/index.ts';
const contracts = 'libs/contracts/src/index.ts';
const platform = 'libs/platform/src/http/index.ts';
const platformSpec = 'libs/platform/src/http/answers.int.spec.ts';
const gateway = 'apps/agent-gateway/src/app.module.ts';
const standalone = 'apps/standalone/src/main.ts';
const facilitator = 'tools/facilitator/src/index.ts';
const client = 'libs/client/src/index.ts';
const habitFiles = 'libs/habit-files/src/index.ts';
const ledger = 'apps/agent-gateway/src/ledger/payment-state.ts';
const revenue = 'apps/reporting/src/revenue/revenue-snapshot.ts';

const imports = (from: string) => `import '${from}';\n`;

const refused: [what: string, file: string, code: string, rule: string][] = [
  ['an app that imports an app', gateway, imports('@evenkeel/standalone'), BOUNDARIES],
  ['an app that imports a tool', gateway, imports('@evenkeel/facilitator'), BOUNDARIES],
  ['a lib that imports an app', platform, imports('@evenkeel/agent-gateway'), BOUNDARIES],
  ['a lib that imports a tool', platform, imports('@evenkeel/services'), BOUNDARIES],
  ['a tool that imports an app', facilitator, imports('@evenkeel/agent-gateway'), BOUNDARIES],
  ['an app that imports the client', gateway, imports('@evenkeel/client'), BOUNDARIES],
  ['formats of files that know the platform', habitFiles, imports('@evenkeel/platform/http'), BOUNDARIES],
  ['a platform that knows formats of files', platform, imports('@evenkeel/habit-files'), BOUNDARIES],
  ['a client that knows the contracts', client, imports('@evenkeel/contracts'), BOUNDARIES],
  ['contracts that know the platform', contracts, imports('@evenkeel/platform/http'), BOUNDARIES],
  ['contracts that know a framework', contracts, imports('@nestjs/common'), BOUNDARIES],
  ['an engine that imports a framework', scoring, imports('@nestjs/common'), BOUNDARIES],
  ['an engine that imports any package', scoring, imports('rxjs'), BOUNDARIES],
  ['a kernel that imports a package', kernel, imports('class-validator'), BOUNDARIES],
  ['a kernel that knows the contracts', kernel, imports('@evenkeel/contracts'), BOUNDARIES],
  ['an engine that touches the system', scoring, imports('node:fs'), 'no-restricted-imports'],
  ['an engine that looks at the clock', scoring, 'export const now = Date.now();\n', 'no-restricted-globals'],
  ['an engine that looks around', scoring, 'export const env = process.pid;\n', 'no-restricted-globals'],
  ['an engine that throws dice', scoring, 'export const dice = Math.random();\n', 'no-restricted-properties'],
  ['an app that reads the environment', gateway, 'export const port = process.env.PORT;\n', 'no-restricted-syntax'],
  ['an app that makes its own time', gateway, 'export const now = new Date();\n', 'no-restricted-syntax'],
  ['an app that asks the system for the time', gateway, 'export const now = Date.now();\n', 'no-restricted-syntax'],
  ['a folder that imports one above it', ledger, imports('../payments/settle-payment'), 'no-restricted-imports'],
  ['the same from further in', revenue, imports('../../dashboard/dashboard-document'), 'no-restricted-imports'],
  ['a platform that knows a path of the product', platform, "export const path = '/agent/v1/plan';\n", PRODUCT_WORDS],
  ['a platform that knows a header of the product', platform, 'export const name = `X-PAYMENT`;\n', PRODUCT_WORDS],
  ['a platform that names a thing of the product', platform, 'export class WalletLimit {}\n', PRODUCT_WORDS],
  ['a platform that explains itself by the product', platform, '/** One row a habit. */\n', PRODUCT_WORDS],
  ['a citation of a decision that is not there', gateway, `// D-${9999}\n`, CITATIONS],
  ['a citation of a document that is not there', gateway, `// ${'docs'}/payments.md\n`, CITATIONS],
  ['a default export', platform, 'export default 1;\n', 'no-restricted-syntax'],
  ['an export of everything', platform, "export * from './cors';\n", 'no-restricted-syntax'],
];

const allowed: [what: string, file: string, code: string][] = [
  [
    'standalone, which imports apps and tools',
    standalone,
    imports('@evenkeel/agent-gateway') + imports('@evenkeel/services'),
  ],
  ['an app, which imports libs', gateway, imports('@evenkeel/platform/http') + imports('@evenkeel/contracts')],
  ['a tool, which reads files of habits', facilitator, imports('@evenkeel/habit-files')],
  ['an app, which reads files of habits', gateway, imports('@evenkeel/habit-files')],
  ['formats of files, which know the engine', habitFiles, imports('@evenkeel/scoring') + imports('@evenkeel/kernel')],
  ['a folder, which imports one below it', ledger, imports('../calls/call')],
  ['a tool, which imports the client', facilitator, imports('@evenkeel/client')],
  ['contracts, which describe shapes', contracts, imports('class-validator') + imports('@evenkeel/kernel')],
  [
    'a platform, which names what HTTP and promises have',
    platform,
    'void Promise.allSettled([]); // Payment Required\n',
  ],
  ['a test of the platform, which takes samples', platformSpec, "export const path = '/agent/v1/plan';\n"],
  ['a given instant', gateway, 'export const noon = new Date(0);\n'],
  ['a program, which hands the environment over', standalone, 'export const env = process.env;\n'],
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
