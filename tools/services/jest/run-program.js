const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, resolve } = require('node:path');
const { Script } = require('node:vm');

/**
 * Runs one of the compiled programs: `node run-program.js <file of programs> <entry> …`. It is JavaScript because what
 * compiles TypeScript takes half a second to load. Beside the file lies what the engine has made of it before.
 */
const [node, , file, entry, ...args] = process.argv;
const main = resolve(entry);
process.argv = [node, main, ...args];

const text = readFileSync(file, 'latin1');
const cachedData = readIfThere(`${file}.cache`);
const script = new Script(`(function (module, require, __filename, __dirname) {${text}\n})`, {
  filename: file,
  cachedData,
});
if (!cachedData || script.cachedDataRejected) process.on('exit', keepCompiled);

const programs = { exports: {} };
const require_ = createRequire(file);
require_.main = { filename: main };
script.runInThisContext()(programs, require_, file, dirname(file));
const run = programs.exports[entry];
if (!run) throw new Error(`${entry} is none of the compiled programs.`);
run();

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * At the end of the first program: by then everything that a start needs has been compiled. Another version of Node
 * refuses it, and so does one with other flags, also such as a package has set.
 */
function keepCompiled() {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, script.createCachedData());
  renameSync(unfinished, `${file}.cache`);
}
