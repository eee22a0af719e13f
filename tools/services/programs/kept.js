const { createHash } = require('node:crypto');
const { execFile } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { promisify } = require('node:util');

/** The arguments of node: this, the file of compiled programs, an entry, and the arguments of the program. */
const RUN_PROGRAM = join(__dirname, 'main.js');

/** Those of a run that goes on are still read. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Beside what goes into the file: how it is made, and which packages are installed. */
const MADE_WITH = ['.swcrc', 'package.json', 'node_modules/.package-lock.json', 'tools/services/programs/bundle.js'];

/**
 * The file with programs as their sources are now: the kept one where nothing has changed since, else a new one.
 * @param root the workspace; entries are paths from there
 * @param folder where compiled ones are kept
 * @param entries,children as `bundlePrograms` has them
 * @param warmUp run once to its end: what the engine compiles for it, no later start compiles again
 * @param onCompile called before it is compiled
 * @returns its path
 */
async function compiledPrograms({ root, folder, entries, children, warmUp, onCompile = () => undefined }) {
  const kept = readKept(folder);
  if (kept && isCurrent(kept, root, entries)) return kept.file;

  onCompile();
  mkdirSync(folder, { recursive: true });
  removeOld(folder);
  const name = `programs-${process.pid}-${Date.now()}`;
  const file = join(folder, `${name}.js`);
  // Before it is read: a change meanwhile is a change.
  const since = Date.now();
  // Loaded when it is wanted: the compilers take half a second.
  const { bundlePrograms } = require('./bundle');
  const sources = await bundlePrograms({ root, entries, children, outfile: file });
  if (warmUp) await promisify(execFile)(process.execPath, [RUN_PROGRAM, file, ...warmUp], { cwd: root });

  const read = [...sources.filter((source) => !source.includes('node_modules/')), ...MADE_WITH];
  keep(folder, { file, entries, inputs: Object.fromEntries(read.map((path) => [path, stateOf(root, path, since)])) });
  return file;
}

function readKept(folder) {
  try {
    const kept = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'));
    return statSync(kept.file).isFile() ? kept : undefined;
  } catch {
    return undefined;
  }
}

function keep(folder, kept) {
  const unfinished = join(folder, `current-${process.pid}.json`);
  writeFileSync(unfinished, JSON.stringify(kept));
  renameSync(unfinished, join(folder, 'current.json'));
}

/** By content; a file of the same size and time is not read again. */
function isCurrent({ entries: compiled, inputs }, root, entries) {
  if (compiled.join() !== entries.join()) return false;
  return Object.entries(inputs).every(([path, state]) => {
    const { mtimeMs, size } = statSync(join(root, path), { throwIfNoEntry: false }) ?? { size: -1 };
    if (size !== state.size) return false;
    return mtimeMs === state.mtimeMs || contentOf(root, path) === state.content;
  });
}

/** @param before of what is newer than that it is not known which content was read */
function stateOf(root, path, before) {
  const { mtimeMs, size } = statSync(join(root, path), { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: -1 };
  if (size === -1) return { size };
  return mtimeMs < before ? { mtimeMs, size, content: contentOf(root, path) } : { size: 'changed meanwhile' };
}

function contentOf(root, path) {
  return createHash('sha256')
    .update(readFileSync(join(root, path)))
    .digest('base64');
}

function removeOld(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

module.exports = { compiledPrograms, RUN_PROGRAM };
