import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compilePrograms, type ProgramsToCompile } from './compile-programs';
import { RUN_PROGRAM } from './run-program';

/** Those of a run that goes on are still read. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** Beside what goes into the file: how it is made, and which packages are installed. */
const MADE_WITH = [
  ...['.swcrc', 'package.json', 'node_modules/.package-lock.json'],
  'tools/services/src/programs/compile-programs.ts',
];

export interface Programs extends Omit<ProgramsToCompile, 'outfile'> {
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
  const { root, folder, entries, warmUp } = programs;
  const kept = readKept(folder);
  if (kept && isCurrent(kept, programs)) return kept.file;

  mkdirSync(folder, { recursive: true });
  removeOld(folder);
  const name = `programs-${process.pid}-${Date.now()}`;
  const file = join(folder, `${name}.js`);
  // Before it is read: what changes meanwhile counts as changed.
  const since = Date.now();
  const sources = await compilePrograms({ root, entries, outfile: file });
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
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
