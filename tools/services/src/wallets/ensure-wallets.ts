import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedFolder } from '../cache-folder';
import { CannotStartService, environment } from '../ensure-program';
import { logToOperator, type OperatorLog } from '../operator-log';

/** What is installed, and beside it (tools/wallets) the programs that use it. */
export const PACKAGES = join(__dirname, '../../../wallets/packages');
const FILES = ['package.json', 'package-lock.json', '.npmrc', 'load.mjs'];
/** Nothing runs at installation; what only other systems or browsers need stays away. */
const INSTALL = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=http'];
const LAST_LINES = 15;

/**
 * The wallets of buyers as they are published, installed once outside the checkout: some of them contradict packages of
 * ours, and all together they are more than all of ours.
 * @returns the folder that holds their `node_modules`
 * @throws CannotStartService with what npm said
 */
export async function ensureWallets(log: OperatorLog = logToOperator): Promise<string> {
  const lock = createHash('sha256');
  for (const file of FILES) lock.update(readFileSync(join(PACKAGES, file)));
  return cachedFolder(`wallets-${lock.digest('hex').slice(0, 12)}`, (folder) => install(folder, log));
}

async function install(folder: string, log: OperatorLog): Promise<void> {
  log('Installing the wallets that the tests pay with, once: 310 MB.');
  for (const file of FILES) copyFileSync(join(PACKAGES, file), join(folder, file));
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
      `npm could not install the wallets of tools/wallets/packages (${status}). Let it reach a registry:\n${lines.join('\n')}`,
    );
  }
  log(`Installed the wallets in ${Math.round((performance.now() - began) / 1000)} s.`);
}
