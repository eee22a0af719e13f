const { join, resolve } = require('node:path');
const { compiledPrograms } = require('./kept');
const { runProgram } = require('./run');

/**
 * Runs a program of the workspace from one file that is compiled again where a source has changed:
 * `node start.js <file> …`. Of a start from its source alone, compilers take nine tenths.
 */
const root = join(__dirname, '../../..');
const [node, , entry, ...args] = process.argv;

async function start() {
  const file = await compiledPrograms({
    root,
    folder: join(root, 'node_modules/.cache/evenkeel-programs', entry.replaceAll('/', '-')),
    entries: [entry],
    children: ['libs/habit-files/src/process/program.ts'],
    onCompile: () => process.stderr.write('Compiling, as sources have changed…\n'),
  });
  const main = resolve(root, entry);
  process.argv = [node, main, ...args];
  runProgram(entry, main, file);
}

start().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
