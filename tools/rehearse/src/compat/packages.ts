import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

interface Locked {
  /** Of a project of ours: its folder. */
  resolved?: string;
  link?: boolean;
}

type Place = [place: string, locked: Locked];

/**
 * Gives a checkout its packages: those that are installed here where they are all that its lock file names, else by npm.
 * @param say told when npm has to install them
 */
export async function providePackages(root: string, checkout: string, say: (line: string) => void): Promise<void> {
  const [here, there] = [lockedIn(root), lockedIn(checkout)];
  const installed = new Map(here.packages);
  const isInstalled = ([place, locked]: Place): boolean =>
    place.startsWith('node_modules/') && isDeepStrictEqual(installed.get(place), locked);
  if (!there.packages.every(isInstalled)) {
    say('its packages differ from those that are installed here: npm ci');
    return install(checkout);
  }
  const ours = new Set(there.projects.map(([place]) => dirname(place)));
  const names = readdirSync(join(root, 'node_modules')).map((name) => join('node_modules', name));
  mkdirSync(join(checkout, 'node_modules'));
  for (const place of names.filter((name) => !ours.has(name) && !name.endsWith('.cache'))) {
    symlinkSync(join(root, place), join(checkout, place));
  }
  for (const folder of ours) mkdirSync(join(checkout, folder));
  for (const [place, { resolved }] of there.projects) symlinkSync(join(checkout, resolved!), join(checkout, place));
}

/** What a lock file names: packages of others, and projects of ours. */
function lockedIn(folder: string): Record<'packages' | 'projects', Place[]> {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const places = Object.entries(lock.packages).filter(([place]) => /(^|\/)node_modules\//.test(place));
  return { packages: places.filter(([, { link }]) => !link), projects: places.filter(([, { link }]) => link) };
}

async function install(checkout: string): Promise<void> {
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
  const child = spawn('npm', args, { cwd: checkout, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`npm ci failed in ${checkout}:\n${said.trim()}`);
}
