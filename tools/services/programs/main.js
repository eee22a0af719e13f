const { resolve } = require('node:path');
const { runProgram } = require('./run');

// Runs one of compiled programs: `node main.js <file of programs> <entry> …`.
const [node, , file, entry, ...args] = process.argv;
const main = resolve(entry);
process.argv = [node, main, ...args];
runProgram(file, entry, main);
