import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The packages that the programs of a project need at run time. */
interface Reached {
  /** Folders of the workspace, the project first: `apps/billing`, `libs/contracts`. */
  projects: string[];
  /** Names of packages that are not ours, sorted. */
  packages: string[];
}

const OURS = '@evenkeel/';
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;
/** Files that are read by name: `require.resolve(`swagger-ui-dist/${name}`)` loads none of their code. */
const READ_BY_NAME = /require\.resolve\([`'"]((?:@[^/`'"]+\/)?[^./`'"$][^/`'"$]*)/g;

/** Follows the imports of every source of the project, those of its pages too, through our libs to the packages of others. */
export async function reachedPackages(root: string, project: string): Promise<Reached> {
  const named = new Set<string>();
  const { metafile } = await build({
    stdin: {
      contents: sourcesOf(root, project)
        .map((file) => `import './${file}';`)
        .join('\n'),
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
    plugins: [namesOfPackages(root, named)],
  });
  const files = Object.keys(metafile.inputs).filter((file) => file !== '<stdin>');
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, name] of text.matchAll(READ_BY_NAME)) named.add(name!);
  }
  const projects = [...new Set(files.map((file) => file.split('/').slice(0, 2).join('/')))];
  const packages = [...named].filter((name) => !name.startsWith(OURS) && !isBuiltin(name));
  return { projects: [project, ...projects.filter((other) => other !== project)], packages: packages.sort() };
}

/** All of the project, or the folders of it that its image takes: `"files": ["dist/events"]`. */
function sourcesOf(root: string, project: string): string[] {
  const { files = ['dist'] } = manifestAt(join(root, project));
  const folders = files.filter((name) => /^dist\b/.test(name)).map((name) => name.replace('dist', 'src'));
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, project, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(project, folder, name),
      ),
    )
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture|d)\.ts$/.test(name))
    .sort();
}

function manifestAt(folder: string): { files?: string[] } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files?: string[] };
}

/** Notes each package that is imported, and follows only ours. */
function namesOfPackages(root: string, named: Set<string>): Plugin {
  return {
    name: 'names-of-packages',
    setup(following) {
      following.onResolve({ filter: /^[^./]/ }, ({ path }) => {
        const [name] = PACKAGE.exec(path)!;
        if (path.startsWith(OURS)) return { path: sourceOf(root, name, path) };
        named.add(name);
        return { external: true };
      });
    },
  };
}

/** The source of one of our doors, found without links: the build of an image installs none of the workspace. */
function sourceOf(root: string, name: string, path: string): string {
  const folder = join(root, 'libs', name.slice(OURS.length));
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>;
  };
  return join(folder, exports[`.${path.slice(name.length)}`]!['@evenkeel/source']!);
}
