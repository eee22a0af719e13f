import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../../..');
const BUILD = join(ROOT, 'tools/build.mjs');
const BUNDLE = join(ROOT, 'tools/services/programs/build.js');

let libraries: Promise<unknown> | undefined;

/**
 * Builds an app and the libraries, as `npm run build` does.
 * @param app name of its package
 * @returns the path of a program of it
 * @throws Error with what the build said
 */
export async function built(app: string, program: string): Promise<string> {
  const folder = join(ROOT, app.replace('@evenkeel/', 'apps/'));
  libraries ??= Promise.all(librariesOf().map((cwd) => run(BUILD, cwd)));
  await Promise.all([libraries, run(BUILD, folder)]);
  // Behind the libraries, some of whose files it reads.
  await run(BUNDLE, folder);
  return join(folder, 'dist', `${program}.js`);
}

function librariesOf(): string[] {
  const folders = readdirSync(join(ROOT, 'libs')).map((lib) => join(ROOT, 'libs', lib));
  return folders.filter((folder) => existsSync(join(folder, 'src')));
}

async function run(script: string, cwd: string): Promise<void> {
  await promisify(execFile)(process.execPath, [script], { cwd });
}
