import { join } from 'node:path';
import type { Objections } from './check-sources.fixture';
import { run } from './run.fixture';

// The whole workspace is read: two minutes of one processor when nothing is cached.
jest.setTimeout(300_000);

let objections: Objections;
beforeAll(async () => {
  const program = join(__dirname, 'check-sources.fixture.ts');
  objections = JSON.parse(await run(process.execPath, ['--require', '@swc-node/register', program])) as Objections;
});

it('keeps the rules of eslint.config.mjs', () => expect(objections.rules).toBe(''));

it('has no type error', () => expect(objections.types).toBe(''));

it('is formatted by prettier', async () => {
  await run('prettier', ['--check', '.', '--cache', '--cache-location=node_modules/.cache/prettier/workspace']);
});
