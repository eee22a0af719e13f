const { fstatSync, openSync, readFileSync, readSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/**
 * Runs one of the programs of a file, the text of a function, that `bundlePrograms` has made. What the engine has made of the file before lies
 * beside it, for each version and set of flags of the engine: with it nothing is compiled again.
 * @param file of programs
 * @param entry as it was bundled
 * @param main path of the file that the program is to take for its own
 */
function runProgram(file, entry, main) {
  const text = readFileSync(file, 'latin1');
  const compiled = file.replace(/js$/, `${cachedDataVersionTag().toString(16)}.cache`);
  const cachedData = readIfThere(compiled);
  const script = new Script(text, { filename: file, cachedData });
  if (!cachedData || script.cachedDataRejected) process.on('exit', () => keepCompiled(script, compiled));
  tellSourceLines(file);

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

/**
 * Stacks name files and lines of the sources. They are looked up in the table that lies beside the file: to read a map of all
 * of it would stop the process, with everything that it answers, for seconds.
 */
function tellSourceLines(file) {
  let table;
  const told = (frame) => {
    const said = String(frame);
    if (frame.getFileName() !== file) return said;
    table ??= openTable(`${file}.lines`);
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const found = table.find(line - 1, column - 1);
    if (!found) return said;
    const place = `${join(dirname(file), found.source)}:${found.line + 1}`;
    return said.replace(`${file}:${line}:${column}`, () => place);
  };
  Error.prepareStackTrace = (error, frames) =>
    [errorLine(error), ...frames.map((frame) => `    at ${told(frame)}`)].join('\n');
}

function errorLine(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

const NUMBER_BYTES = 4;
/** Line and column in the file, then number and line of the source that begins there; each from 0, in the order of the file. */
const ROW_BYTES = 4 * NUMBER_BYTES;

/** The table that `bundlePrograms` writes: the length of the names of the sources, these as JSON, then rows. */
function openTable(path) {
  try {
    const table = openSync(path);
    const read = (position, length) => {
      const bytes = Buffer.alloc(length);
      readSync(table, bytes, 0, length, position);
      return bytes;
    };
    const namesLength = read(0, NUMBER_BYTES).readUInt32LE();
    const sources = JSON.parse(read(NUMBER_BYTES, namesLength).toString());
    const begin = NUMBER_BYTES + namesLength;
    const count = (fstatSync(table).size - begin) / ROW_BYTES;
    const row = (number) => {
      const bytes = read(begin + number * ROW_BYTES, ROW_BYTES);
      return [0, 1, 2, 3].map((place) => bytes.readUInt32LE(place * NUMBER_BYTES));
    };
    return { find: (line, column) => findIn(row, count, sources, line, column) };
  } catch {
    return { find: () => undefined };
  }
}

/** The last row that begins at the place, or before it in its line. */
function findIn(row, count, sources, line, column) {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    const [rowLine, rowColumn] = row(middle);
    if (rowLine < line || (rowLine === line && rowColumn <= column)) from = middle + 1;
    else to = middle;
  }
  if (from === 0) return undefined;
  const [rowLine, , source, sourceLine] = row(from - 1);
  return rowLine === line ? { source: sources[source], line: sourceLine } : undefined;
}

module.exports = { runProgram };
