import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STRIPE_MOCK } from './published';

const run = promisify(execFile);
const MODULE = `${STRIPE_MOCK.module}@${STRIPE_MOCK.version}`;

/** Whether a Go compiler is there. */
export async function hasGo(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** Gets the module of stripe-mock. @returns the folder that it lies in */
export async function downloadStripeMock(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', MODULE]);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/** Builds the mock server into a folder. @returns the path of its program */
export async function buildStripeMock(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  await run('go', ['install', MODULE], { env: { ...env, GOBIN: folder } });
  return join(folder, 'stripe-mock');
}
