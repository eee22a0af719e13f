import { join } from 'node:path';
import type { Objections } from './check-sources.fixture';
import { run } from './run.fixture';

// The whole workspace is read: a minute and a half of one processor when nothing is cached, many on a busy machine.
jest.setTimeout(900_000);

/** Room for what lives shortly, of which all three make gigabytes: a seventh less work for the collector. */
const YOUNG_SPACE = '--max-semi-space-size=128';

const PRETTIER = require.resolve('prettier/bin/prettier.cjs');

let objections: Objections;
beforeAll(async () => {
  const program = join(__dirname, 'check-sources.fixture.ts');
  const args = [YOUNG_SPACE, '--require', '@swc-node/register', program];
  objections = JSON.parse(await run(process.execPath, args)) as Objections;
});

it('keeps the rules of eslint.config.mjs', () => expect(objections.rules).toBe(''));

it('has no type error', () => expect(objections.types).toBe(''));

it('is formatted by prettier', async () => {
  const args = ['--check', '.', '--cache', '--cache-location=node_modules/.cache/prettier/workspace'];
  await run(process.execPath, [YOUNG_SPACE, PRETTIER, ...args]);
});
