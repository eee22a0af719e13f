const { execFile } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { promisify } = require('node:util');

/** The arguments of node: this, the file of compiled programs, an entry, and the arguments of the program. */
const RUN_PROGRAM = join(__dirname, 'run.js');

/** Those of a run that goes on are still read. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Beside what goes into the file: how it is made, and which packages are installed. */
const MADE_WITH = ['.swcrc', 'package.json', 'node_modules/.package-lock.json', 'tools/services/programs/bundle.js'];

/**
 * The file with programs as their sources are now: the kept one where none has changed since, else a new one.
 * @param root the workspace; entries are paths from there
 * @param folder where compiled ones are kept
 * @param entries,children as `bundlePrograms` has them
 * @param warmUp run once to its end: what the engine compiles for it, no later start compiles again
 * @param onCompile called before it is compiled
 * @returns its path
 */
async function compiledPrograms({ root, folder, entries, children, warmUp, onCompile = () => undefined }) {
  const kept = readKept(folder);
  if (kept?.entries.join() === entries.join() && kept.sources.every((state) => isSame(root, state))) return kept.file;

  onCompile();
  mkdirSync(folder, { recursive: true });
  removeOld(folder);
  const file = join(folder, `programs-${process.pid}-${Date.now()}.js`);
  // Before it is read: a change meanwhile is a change.
  const beganMs = Date.now();
  // Loaded when it is wanted: the compilers take half a second.
  const { bundlePrograms } = require('./bundle');
  const paths = await bundlePrograms({ root, entries, children, outfile: file });
  if (warmUp) await promisify(execFile)(process.execPath, [RUN_PROGRAM, file, ...warmUp], { cwd: root });

  const sources = [...paths.filter((path) => !path.includes('node_modules/')), ...MADE_WITH].map((path) => {
    const changedMs = changeOf(root, path);
    return [path, changedMs >= beganMs ? -1 : changedMs];
  });
  const unfinished = join(folder, `current-${process.pid}.json`);
  writeFileSync(unfinished, JSON.stringify({ file, entries, sources }));
  renameSync(unfinished, join(folder, 'current.json'));
  return file;
}

/** Undefined also where another release of ours kept something else. */
function readKept(folder) {
  try {
    const kept = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'));
    return Array.isArray(kept.sources) && statSync(kept.file).isFile() ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isSame(root, [path, changedMs]) {
  return changeOf(root, path) === changedMs;
}

/** When a file was last written; 0 where there is none. */
function changeOf(root, path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function removeOld(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

module.exports = { compiledPrograms, RUN_PROGRAM };
