import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder } from './cache-folder';
import { environment, logToOperator, type OperatorLog, runInstaller } from './ensure-program';

const ROOT = join(__dirname, '../../..');
/** Nothing runs at installation; packages for other systems or browsers only are left out. */
const INSTALL = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];

/** By manifest: thousands of files are looked at once by each process, not by each payment of a rehearsal. */
const found = new Map<string, Promise<string>>();

/**
 * Packages of others that one tool or test needs, installed once outside the checkout when that tool first runs: they
 * contradict packages of ours, or are larger than all of ours together.
 * @param manifest folder of their package.json and lock file, from the root folder
 * @returns the folder that holds their `node_modules`
 * @throws CannotStartService with the last lines of npm
 */
export function fetchedPackages(manifest: string, log: OperatorLog = logToOperator): Promise<string> {
  const known = found.get(manifest);
  if (known) return known;
  const folder = ensurePackages(manifest, log);
  found.set(manifest, folder);
  folder.catch(() => found.delete(manifest));
  return folder;
}

async function ensurePackages(manifest: string, log: OperatorLog): Promise<string> {
  const files = readdirSync(join(ROOT, manifest)).sort();
  const lock = createHash('sha256');
  for (const file of files) lock.update(readFileSync(join(ROOT, manifest, file)));
  const { name, description } = JSON.parse(readFileSync(join(ROOT, manifest, 'package.json'), 'utf8')) as Manifest;
  return cachedFolder(`${name.replace('evenkeel-', '')}-${lock.digest('hex').slice(0, 12)}`, (folder) =>
    install(manifest, description, folder, log),
  );
}

interface Manifest {
  name: string;
  description: string;
}

async function install(manifest: string, description: string, folder: string, log: OperatorLog): Promise<void> {
  for (const file of readdirSync(join(ROOT, manifest))) copyFileSync(join(ROOT, manifest, file), join(folder, file));
  const command = { program: 'npm', args: INSTALL, cwd: folder, env: environment() };
  await runInstaller(`Installing ${description}, once`, 'Node with npm', command, log);
}
