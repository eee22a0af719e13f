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

/** One for each rule, and each kind of project; what no rule refuses comes last. */
const samples: [what: string, file: string, code: string, rules: string[]][] = [
  ['an app that imports an app', gateway, imports('@evenkeel/standalone'), [BOUNDARIES]],
  ['a tool that imports an app', facilitator, imports('@evenkeel/agent-gateway'), [BOUNDARIES]],
  ['a lib that imports a tool', platform, imports('@evenkeel/services'), [BOUNDARIES]],
  ['formats of files that know the platform', habitFiles, imports('@evenkeel/platform/http'), [BOUNDARIES]],
  ['a client that knows the contracts', client, imports('@evenkeel/contracts'), [BOUNDARIES]],
  ['contracts that know a framework', contracts, imports('@nestjs/common'), [BOUNDARIES]],
  ['an engine that imports any package', scoring, imports('rxjs'), [BOUNDARIES]],
  ['an engine that touches the system', scoring, imports('node:fs'), ['no-restricted-imports']],
  ['an engine that looks at the clock', scoring, 'export const now = Date.now();\n', ['no-restricted-globals']],
  ['an engine that throws dice', scoring, 'export const dice = Math.random();\n', ['no-restricted-properties']],
  ['an app that reads the environment', gateway, 'export const port = process.env.PORT;\n', ['no-restricted-syntax']],
  ['an app that makes its own time', gateway, 'export const now = new Date();\n', ['no-restricted-syntax']],
  ['a folder that imports one above it', ledger, imports('../payments/settle-payment'), ['no-restricted-imports']],
  ['the same from further in', revenue, imports('../../dashboard/dashboard-document'), ['no-restricted-imports']],
  ['an export of everything', platform, "export * from './cors';\n", ['no-restricted-syntax']],
  [
    'standalone, which imports apps',
    standalone,
    imports('@evenkeel/agent-gateway') + imports('@evenkeel/services'),
    [],
  ],
  ['an app, which imports libs', gateway, imports('@evenkeel/platform/http') + imports('@evenkeel/contracts'), []],
  ['a folder, which imports one below it', ledger, imports('../calls/call'), []],
  ['a given instant', gateway, 'export const noon = new Date(0);\n', []],
];

/**
 * Lints samples as if they were in files of the workspace, without type information, because loading takes longer than
 * linting. A process of its own: ESLint loads its configuration in a way that Jest refuses.
 */
const LINT = `
  const { ESLint } = require('eslint');
  const eslint = new ESLint({ overrideConfig: [require('typescript-eslint').configs.disableTypeChecked] });
  (async () => {
    const broken = [];
    for (const [, filePath, code] of JSON.parse(process.argv[1])) {
      const [{ messages }] = await eslint.lintText(code, { filePath });
      broken.push(messages.map(({ ruleId, message }) => ruleId ?? message));
    }
    process.stdout.write(JSON.stringify(broken));
  })();`;

it('the boundaries refuse what no project may do, and nothing else', async () => {
  // Without a graph of the projects the rule says "will be skipped" and passes.
  await run('nx', ['show', 'projects']);
  const broken = JSON.parse(await run(process.execPath, ['-e', LINT, JSON.stringify(samples)])) as string[][];
  const found = samples.map(([what], index) => [what, [...new Set(broken[index])]]);
  expect(found).toEqual(samples.map(([what, , , rules]) => [what, rules]));
}, 180_000);
