import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedFolder } from './cache-folder';
import { CannotStartService, environment } from './ensure-program';
import { logToOperator, type OperatorLog } from './operator-log';

const ROOT = join(__dirname, '../../..');
/** Nothing runs at installation; packages for other systems or browsers only are left out. */
const INSTALL = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=http'];
const LAST_LINES = 15;

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
    install({ manifest, folder, description, log }),
  );
}

interface Manifest {
  name: string;
  description: string;
}

interface Installation {
  manifest: string;
  folder: string;
  description: string;
  log: OperatorLog;
}

async function install({ manifest, folder, description, log }: Installation): Promise<void> {
  log(`Installing ${description}, once.`);
  for (const file of readdirSync(join(ROOT, manifest))) copyFileSync(join(ROOT, manifest, file), join(folder, file));
  const began = performance.now();
  const child = spawn('npm', INSTALL, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let fetched = 0;
  const note = (line: string): void => {
    if (/^npm http (fetch|cache)/.test(line)) {
      if (++fetched % 100 === 0) log(`Fetched ${fetched} files…`);
    } else if (lines.push(line) > LAST_LINES) lines.shift();
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', note);
  const status = await once(child, 'close').then(
    ([code]: (number | null)[]) => code,
    (error: Error) => error.message,
  );
  if (status !== 0) {
    throw new CannotStartService(
      `npm could not install ${manifest} (${status}). Let it reach a registry:\n${lines.join('\n')}`,
    );
  }
  log(`Installed in ${Math.round((performance.now() - began) / 1000)} s.`);
}
