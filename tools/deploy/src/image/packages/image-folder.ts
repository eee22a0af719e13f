import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { reachedPackages } from './reached-packages';

interface Manifest {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
  /** The files of a project besides its manifest: names, and exceptions with `!`. Default: `dist`. */
  files?: string[];
}

const run = promisify(execFile);

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Compiles a project and the libs of ours that it reaches, and fills a folder with what its image holds of them, and a manifest that names the packages in use, at the versions of the workspace. The lock file is still that of
 * the workspace: `npm install --package-lock-only --offline` leaves of it what the manifest needs.
 * @param project its folder in the workspace: `apps/billing`
 */
export async function fillImageFolder(root: string, project: string, folder: string): Promise<void> {
  const { projects, packages } = await reachedPackages(root, project);
  const { version, license, dependencies = {}, allowScripts } = await manifestOf(root);
  await mkdir(folder, { recursive: true });
  const manifest = {
    name: `evenkeel-${basename(project)}`,
    version,
    private: true,
    license,
    workspaces: projects,
    // A compiler that only sources ask for is no package of the run time: the workspace has it among its others.
    dependencies: Object.fromEntries(
      packages.filter((name) => name in dependencies).map((name) => [name, dependencies[name]]),
    ),
    allowScripts,
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['.npmrc', 'package-lock.json']) await cp(join(root, file), join(folder, file));
  for (const each of projects) {
    await run(process.execPath, [join(root, 'tools/build.mjs')], { cwd: join(root, each) });
    await copyProject(join(root, each), join(folder, each));
  }
}

async function copyProject(source: string, target: string): Promise<void> {
  const { files = ['dist'] } = await manifestOf(source);
  const leftOut = new Set(files.filter((name) => name.startsWith('!')).map((name) => join(source, name.slice(1))));
  const filter = (path: string): boolean => !leftOut.has(path);
  for (const name of ['package.json', ...files.filter((entry) => !entry.startsWith('!'))]) {
    await cp(join(source, name), join(target, name), { recursive: true, filter });
  }
}
