import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { environment, logToOperator, type OperatorLog, runInstaller } from './ensure-program';

const MANIFEST = 'complete.json';

/**
 * A folder outside the checkout, filled once for all checkouts and runs of this user. Filled under another name and
 * renamed when it is whole, so that two at once do no harm.
 * @param name changes with what is wanted in it
 * @param fill writes all that belongs into the folder it is given
 */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(environment().XDG_CACHE_HOME || join(homedir(), '.cache'), 'evenkeel', name);
  if (existsSync(join(folder, MANIFEST))) return folder;

  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await fill(unfinished);
    writeFileSync(join(unfinished, MANIFEST), '{}');
    renameSync(unfinished, folder);
  } catch (error) {
    // A copy that another process has put there is equally good.
    if (!existsSync(join(folder, MANIFEST))) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The same, filled once for what files say.
 * @param files lock files, and sources of what is compiled
 * @param besides what else it depends on, such as the version of a language
 */
export function keptFolder(
  name: string,
  files: readonly string[],
  fill: (folder: string) => Promise<void>,
  besides = '',
): Promise<string> {
  const digest = createHash('sha256').update(besides);
  for (const file of files) digest.update(readFileSync(file));
  return cachedFolder(`${name}-${digest.digest('hex').slice(0, 12)}`, fill);
}

const ROOT = join(__dirname, '../../..');
/** Nothing runs at installation; packages for other systems or browsers only are left out. */
const INSTALL = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];

/**
 * Packages of others that one tool or test needs, installed once outside the checkout when that tool first runs: they
 * contradict packages of ours, or are larger than all of ours together.
 * @param manifest folder of their package.json and lock file, from the root folder
 * @returns the folder that holds their `node_modules`
 * @throws CannotStartService with the last lines of npm
 */
export async function fetchedPackages(manifest: string, log: OperatorLog = logToOperator): Promise<string> {
  const from = join(ROOT, manifest);
  const files = readdirSync(from).sort();
  const { name, description } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<string, string>;
  const paths = files.map((file) => join(from, file));
  return keptFolder(name!.replace('evenkeel-', ''), paths, async (folder) => {
    for (const file of files) copyFileSync(join(from, file), join(folder, file));
    const command = { program: 'npm', args: INSTALL, cwd: folder, env: environment() };
    await runInstaller(`Installing ${description}, once`, 'Node with npm', command, log);
  });
}
