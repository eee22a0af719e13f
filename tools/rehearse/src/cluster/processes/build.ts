import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';

export const ROOT = join(__dirname, '../../../../..');

/**
 * Builds the services and the libraries they use, where a source is newer than its build.
 * @throws Error with what the build said
 */
export async function buildServices(shell: NodeJS.ProcessEnv): Promise<void> {
  const projects = APP_NAMES.map((app) => `@evenkeel/${app}`).join(',');
  const nx = join(ROOT, 'node_modules/.bin/nx');
  const args = ['run-many', '--target=build', `--projects=${projects}`, '--outputStyle=static'];
  // Its daemon would stay behind. Suites of two projects may use each other; what is built of them does not.
  const env = { ...shell, NX_DAEMON: 'false', NX_IGNORE_CYCLES: 'true' };
  const child = spawn(nx, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(
      `The build failed. Type "npm run build" to see why. Its last words:\n${(await said).join('').slice(-2_000)}`,
    );
}

/** A program of a service as it was built. */
export function builtProgram(app: AppName, program: 'main' | 'worker' | 'migrate'): string {
  return join(ROOT, 'apps', app, 'dist', `${program}.js`);
}
