import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureProgram, keptFolder, type OperatorLog, runInstaller } from '@evenkeel/services';

/** Where the pages of `docs/buy` are, and the projects in which generated clients are compiled. */
export const ROOT = join(__dirname, '../../..');

export const PYTHON = 'Python 3.11 or newer with pip';

/**
 * The packages of a `requirements.txt`, installed once, for `PYTHONPATH`.
 * @param folder that has the file, from the root folder
 * @throws CannotStartService
 */
export async function pythonPackages(folder: string, env: NodeJS.ProcessEnv, log: OperatorLog): Promise<string> {
  await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose: PYTHON }, log);
  const requirements = join(ROOT, folder, 'requirements.txt');
  const fill = async (into: string): Promise<void> => {
    // All that is needed is named there: nothing has to be searched for.
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', into, '--requirement', requirements];
    const packages = { program: 'python3', args: install, env };
    await runInstaller(`pip installs the packages of ${folder}`, PYTHON, packages, log);
    // Some systems add their certificates to those of certifi when it is first loaded: what is kept has them.
    const load = { program: 'python3', args: ['-c', 'import httpx'], env: { ...env, PYTHONPATH: into } };
    await runInstaller(`Python loads the packages of ${folder}`, PYTHON, load, log);
  };
  // Compiled packages are for one version.
  const version = execFileSync('python3', ['--version'], { env, encoding: 'utf8' });
  return keptFolder(folder.replaceAll('/', '-'), [requirements], fill, version);
}
