import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
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

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Compiles a project and the libs of ours that it reaches, and fills a folder with what its image holds of them, and a manifest that
 * names the packages in use, at the versions of the workspace. The lock file is still that of the workspace:
 * `npm install --package-lock-only --offline` leaves of it what the manifest needs.
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
    const source = join(root, each);
    await promisify(execFile)(process.execPath, [join(root, 'tools/build.mjs')], { cwd: source });
    const { files = ['dist'] } = await manifestOf(source);
    const leftOut = files.filter((name) => name.startsWith('!')).map((name) => join(source, name.slice(1)));
    for (const name of ['package.json', ...files.filter((entry) => !entry.startsWith('!'))])
      await cp(join(source, name), join(folder, each, name), {
        recursive: true,
        filter: (path) => !leftOut.includes(path),
      });
  }
}

/** A stage of docker/Dockerfile; it needs no package but the two compilers that tools/deploy/package.json names. */
async function main([project = '', folder, ...more]: readonly string[]): Promise<void> {
  const root = join(__dirname, '../../../../..');
  if (folder === undefined || more.length > 0) throw new Error('Name a project and a folder: apps/billing image.');
  if (!/^(apps|tools)\/[a-z-]+$/.test(project) || !existsSync(join(root, project, 'src')))
    throw new Error(`There is no project ${project}: APP is a folder such as apps/billing or tools/ops.`);
  await fillImageFolder(root, project, resolve(folder));
}

if (require.main === module)
  main(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
