import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../../..');
const BUILD = join(ROOT, 'tools/build.mjs');

/**
 * Builds an app and the libraries, as `npm run build` does.
 * @param app name of its package
 * @returns the path of a program of it
 * @throws Error with what the build said
 */
export async function built(app: string, program: string): Promise<string> {
  const folder = dirname(dirname(require.resolve(app)));
  const libs = readdirSync(join(ROOT, 'libs')).map((lib) => join(ROOT, 'libs', lib));
  const projects = [folder, ...libs].filter((project) => existsSync(join(project, 'src')));
  await Promise.all(projects.map((cwd) => promisify(execFile)(process.execPath, [BUILD], { cwd })));
  return join(folder, 'dist', `${program}.js`);
}
