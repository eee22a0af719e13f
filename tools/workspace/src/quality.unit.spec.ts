import { run } from './run.fixture';

// Each reads the whole workspace: half a minute of one processor when nothing is cached.
jest.setTimeout(300_000);

const CACHE = 'node_modules/.cache';

it('keeps the rules of eslint.config.mjs', async () => {
  // The boundaries need the graph of the projects.
  await run('nx', ['show', 'projects']);
  await run('eslint', [
    '.',
    '--max-warnings=0',
    '--cache',
    '--cache-strategy=content',
    `--cache-location=${CACHE}/eslint/`,
  ]);
});

it('has no type error', async () => {
  await run('tsc', ['--incremental', '--tsBuildInfoFile', `${CACHE}/tsc/workspace.tsbuildinfo`]);
});

it('is formatted by prettier', async () => {
  await run('prettier', ['--check', '.', '--cache', `--cache-location=${CACHE}/prettier/workspace`]);
});
