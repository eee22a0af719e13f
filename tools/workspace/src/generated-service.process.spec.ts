import { join } from 'node:path';
import type { Sample } from './lint-samples.fixture';
import { WorkspaceCopy } from './workspace-copy.fixture';

// Two generators, compiler, linter and Jest, each a process: half a minute of one processor, more on a busy machine.
jest.setTimeout(600_000);

const APP = 'apps/shipping';
const FEATURE = `${APP}/src/top-ups`;
const SOURCE = ['--require', '@swc-node/register'];

let copy: WorkspaceCopy;
beforeAll(async () => {
  copy = await WorkspaceCopy.of([
    ...['libs/contracts', 'libs/kernel', 'libs/platform', 'tools/services', 'tools/workspace'],
    ...['docs', 'tools/run.sh', 'apps/reporting/src/reporting.config.ts', 'apps/standalone/src/hosted-services.ts'],
  ]);
  await copy.write(
    'tsconfig.json',
    JSON.stringify({ extends: './tsconfig.base.json', include: ['apps/shipping/src'] }),
  );
  await copy.run('nx', ['g', '@evenkeel/workspace:service', 'shipping', '--outbox', '--inbox']);
  await copy.link(APP);
  await copy.run('nx', ['g', '@evenkeel/workspace:feature', 'top-up', '--app', 'shipping']);
});
afterAll(() => copy[Symbol.asyncDispose]());

it('is known to contracts, scripts and the process that is all of the product', async () => {
  expect(await copy.read('libs/contracts/src/routes.ts')).toMatch(
    /'shipping'\] as const;[^]*app: 'shipping', prefixes: \['\/v1\/top-ups'\]/,
  );
  expect(await copy.read('apps/standalone/src/hosted-services.ts')).toMatch(
    /import \{ SHIPPING \} from '@evenkeel\/shipping';[^]*hosted\(SHIPPING\),\n\];/,
  );
  expect(await copy.read('eslint.config.mjs')).toContain("shipping: ['top-ups', 'openapi'],");
  const { scripts } = JSON.parse(await copy.read('package.json')) as { scripts: Record<string, string> };
  expect(scripts['shipping']).toBe(scripts['reporting']!.replaceAll('reporting', 'shipping'));
  expect(scripts['openapi:write']).toMatch(/shipping\/src\/openapi\/main\.ts && npm run client:types$/);
});

it('has no type error and keeps the rules of eslint.config.mjs', async () => {
  await copy.run('tsc', []);
  await copy.run('nx', ['show', 'projects']);
  await copy.run('eslint', [APP]);
});

it('is formatted by prettier', () =>
  copy.run('prettier', ['--check', APP, 'apps/standalone', 'libs/contracts/src', 'eslint.config.mjs', 'package.json']));

it('may not import a folder from one below it', async () => {
  const upward: Sample = { file: `${FEATURE}/top-up.entity.ts`, code: "import '../openapi/shipping-part';\n" };
  const args = [...SOURCE, join(__dirname, 'lint-samples.fixture.ts')];
  const broken = JSON.parse(await copy.run(process.execPath, args, JSON.stringify([upward]))) as string[][];
  expect(broken).toEqual([['no-restricted-imports']]);
});

it('passes its own tests: health over HTTP, routes, documented answers, use cases', async () => {
  const args = ['--config', `${APP}/jest.config.js`, '--maxWorkers=1', '--json'];
  const report = JSON.parse(await copy.run('jest', args)) as { numPassedTestSuites: number; numPassedTests: number };
  expect([report.numPassedTestSuites, report.numPassedTests]).toEqual([5, 16]);
});
