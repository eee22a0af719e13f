import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The packages that the programs of a project need at run time. */
interface Reached {
  /** Folders of the workspace, the project first: `apps/billing`, `libs/contracts`. */
  projects: string[];
  /** Names of packages that are not ours, sorted. */
  packages: string[];
}

/** The members of `package.json` that decide what an image holds. */
export interface Manifest {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
  exports?: Record<string, Record<string, string>>;
  /** The files of a project besides its manifest: names, and exceptions with `!`. Default: `dist`. */
  files?: string[];
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

const OURS = '@evenkeel/';
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;
/** Files that are read by name: `require.resolve(`swagger-ui-dist/${name}`)` loads none of their code. */
const READ_BY_NAME = /require\.resolve\([`'"]((?:@[^/`'"]+\/)?[^./`'"$][^/`'"$]*)/g;

/**
 * Follows the imports of every source of the project, those of its pages too, through our libs to the packages of others.
 * @throws Error that names sources of the project which its image would lack
 */
export async function reachedPackages(root: string, project: string): Promise<Reached> {
  const named = new Set<string>();
  const sources = sourcesOf(root, project);
  const { metafile } = await build({
    stdin: {
      contents: sources.map((file) => `import './${file}';\n`).join(''),
      resolveDir: root,
    },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    logLevel: 'silent',
    // Imports of types that decorators name stay, as they do in what the build makes.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, experimentalDecorators: true } },
    plugins: [
      {
        name: 'follows-only-ours',
        setup(following) {
          following.onResolve({ filter: /^[^./]/ }, ({ path }) => {
            const [name] = PACKAGE.exec(path)!;
            if (path.startsWith(OURS)) return { path: sourceOf(root, name, path) };
            named.add(name);
            return { external: true };
          });
        },
      },
    ],
  });
  const files = Object.keys(metafile.inputs).filter((file) => file !== '<stdin>');
  const lacking = files.filter(
    (file) => file.startsWith(`${project}/`) && file.endsWith('.ts') && !sources.includes(file),
  );
  if (lacking.length > 0) throw new Error(`"files" in ${project}/package.json leaves out ${lacking.join(', ')}.`);
  for (const file of files) {
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(READ_BY_NAME)) named.add(name!);
  }
  const projects = new Set([project, ...files.map((file) => file.split('/').slice(0, 2).join('/'))]);
  const packages = [...named].filter((name) => !name.startsWith(OURS) && !isBuiltin(name));
  return { projects: [...projects], packages: packages.sort() };
}

/** All of the project, or the folders of it that its image takes: `"files": ["dist/events"]`. */
function sourcesOf(root: string, project: string): string[] {
  const { files = ['dist'] } = manifestOf(join(root, project));
  const folders = files.filter((name) => /^dist\b/.test(name)).map((name) => name.replace('dist', 'src'));
  const names = folders.flatMap((folder) =>
    readdirSync(join(root, project, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return names
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture|d)\.ts$/.test(name))
    .map((name) => join(project, name))
    .sort();
}

/** The source of one of our doors, found without links: the build of an image installs none of the workspace. */
function sourceOf(root: string, name: string, path: string): string {
  const folder = join(root, 'libs', name.slice(OURS.length));
  return join(folder, manifestOf(folder).exports![`.${path.slice(name.length)}`]!['@evenkeel/source']!);
}
