import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder } from './cache-folder';
import { environment, logToOperator, type OperatorLog, runInstaller } from './ensure-program';

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
  const { name, description } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
    name: string;
    description: string;
  };
  const paths = files.map((file) => join(from, file));
  return keptFolder(name.replace('evenkeel-', ''), paths, async (folder) => {
    for (const file of files) copyFileSync(join(from, file), join(folder, file));
    const command = { program: 'npm', args: INSTALL, cwd: folder, env: environment() };
    await runInstaller(`Installing ${description}, once`, 'Node with npm', command, log);
  });
}
