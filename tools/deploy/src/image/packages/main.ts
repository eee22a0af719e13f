import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { manifestOf, reachedPackages } from './reached-packages';

/**
 * Compiles a project and the libs of ours that it reaches, and fills a folder with what its image holds of them, and a
 * manifest that names the packages in use, at the versions of the workspace. The lock file is still that of the workspace:
 * `npm install --package-lock-only --offline` leaves of it what the manifest needs.
 * @param project its folder in the workspace: `apps/billing`
 */
export async function fillImageFolder(root: string, project: string, folder: string): Promise<void> {
  const { projects, packages } = await reachedPackages(root, project);
  const { version, license, dependencies = {}, allowScripts } = manifestOf(root);
  // A compiler that only sources ask for is no package of the run time: the workspace has it among its others.
  const used = packages.filter((name) => name in dependencies).map((name) => [name, dependencies[name]]);
  const manifest = {
    name: `evenkeel-${basename(project)}`,
    version,
    private: true,
    license,
    workspaces: projects,
    dependencies: Object.fromEntries(used) as object,
    allowScripts,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['.npmrc', 'package-lock.json']) cpSync(join(root, file), join(folder, file));
  for (const each of projects) {
    const source = join(root, each);
    execFileSync(process.execPath, [join(root, 'tools/build.mjs')], { cwd: source });
    const { files = ['dist'] } = manifestOf(source);
    const leftOut = files.filter((name) => name.startsWith('!')).map((name) => join(source, name.slice(1)));
    const filter = (path: string) => !leftOut.includes(path);
    for (const name of ['package.json', ...files.filter((entry) => !entry.startsWith('!'))])
      cpSync(join(source, name), join(folder, each, name), { recursive: true, filter });
  }
}

/** A stage of docker/Dockerfile; it needs no package but the two compilers that tools/deploy/package.json names. */
async function main([project = '', folder = '']: readonly string[]): Promise<void> {
  const root = join(__dirname, '../../../../..');
  if (!/^(apps|tools)\/[a-z-]+$/.test(project) || !existsSync(join(root, project, 'src')) || folder === '')
    throw new Error(`There is no project ${project}: APP is a folder such as apps/billing or tools/ops.`);
  await fillImageFolder(root, project, resolve(folder));
}

if (require.main === module)
  main(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
