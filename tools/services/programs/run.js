const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, SourceMap } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/**
 * Runs one of the programs of a file, the text of a function, that `bundlePrograms` has made. What the engine has made of the
 * file before lies beside it, for each version and set of flags of the engine: with it nothing is compiled again.
 * @param entry as it was bundled
 * @param main path of the file that the program is to take for its own
 * @param file of programs
 */
function runProgram(entry, main, file = join(__dirname, 'programs.js')) {
  const text = readFileSync(file, 'latin1');
  const compiled = file.replace(/js$/, `${cachedDataVersionTag().toString(16)}.cache`);
  const cachedData = readIfThere(compiled);
  const script = new Script(text, { filename: file, cachedData });
  if (!cachedData || script.cachedDataRejected) process.on('exit', () => keepCompiled(script, compiled));
  nameSourceLines(file);

  const programs = { exports: {} };
  const require_ = createRequire(file);
  require_.main = { filename: main };
  script.runInThisContext()(programs, require_, file, dirname(file));
  const run = programs.exports[entry];
  if (!run) throw new Error(`${entry} is none of the compiled programs.`);
  run();
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** At the end of the first program: by then everything that a start needs has been compiled. */
function keepCompiled(script, path) {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, path);
  } catch {
    // An image is read-only: it has what its build has left there.
  }
}

/** Stacks name files and lines of our sources, and files of packages. The map is read with the first error. */
function nameSourceLines(file) {
  let map;
  const named = (frame) => {
    if (frame.getFileName() !== file) return String(frame);
    map ??= new SourceMap(JSON.parse(readIfThere(`${file}.map`) ?? '{"sources":[],"mappings":""}'));
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const { originalSource, originalLine } = map.findEntry(line - 1, column - 1);
    const place = originalSource && `${join(dirname(file), originalSource)}:${originalLine + 1}`;
    return place ? String(frame).replace(`${file}:${line}:${column}`, () => place) : String(frame);
  };
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${named(frame)}`)].join('\n');
}

module.exports = { runProgram };

// `node run.js <file of programs> <entry> …`
if (require.main === module) {
  const [node, , file, entry, ...args] = process.argv;
  process.argv = [node, resolve(entry), ...args];
  runProgram(entry, resolve(entry), file);
}
