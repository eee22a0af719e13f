import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledPrograms, RUN_PROGRAM } from '../../programs/kept';

jest.setTimeout(60_000);

const LONG_AGO = new Date('2020-01-01');
/** Says what a program may ask about itself, with a decorator whose metadata esbuild alone would lose. */
const PROGRAM = `
  import 'reflect-metadata';
  import { GREETING } from './greeting';
  const told = (target: object, key: string) => Reflect.getMetadata('design:type', target, key).name;
  let type = '';
  class Said { @(((target: object, key: string) => void (type = told(target, key)))) text!: string; }
  if (require.main === module) console.log([GREETING, type, Said.name, __dirname, ...process.argv.slice(1)].join(' '));
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evenkeel-programs-'));
  write('.swcrc', readFileSync(join(__dirname, '../../../../.swcrc'), 'utf8'));
  write('hello.ts', PROGRAM.replace('reflect-metadata', require.resolve('reflect-metadata')));
  write('greeting.ts', `export const GREETING = 'hello';`);
  mkdirSync(join(root, 'aside'));
  write('aside/child.ts', `console.log('in a child' satisfies string);`);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
  // As if it had been there before: an edit during a compilation is another case.
  utimesSync(join(root, name), LONG_AGO, new Date(LONG_AGO.getTime() + text.length * 1_000));
}

const compiled = (entries = ['hello.ts']): Promise<string> =>
  compiledPrograms({ root, folder: join(root, 'cache'), entries, children: ['aside/child.ts'], warmUp: ['hello.ts'] });
const run = (file: string, entry: string, ...args: string[]): string =>
  execFileSync(process.execPath, [RUN_PROGRAM, file, entry, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' });

it('starts a child whose program lies beside its own source', async () => {
  write('aside/start.ts', `require('node:child_process').fork(__dirname + '/child.js');`);
  const file = await compiled(['hello.ts', 'aside/start.ts']);
  expect(run(file, 'aside/start.ts')).toBe('in a child\n');
});

it('runs a program as its source would run, and keeps what it has made until a source changes', async () => {
  const file = await compiled();
  expect(run(file, 'hello.ts', 'a', 'b')).toBe(`hello String Said ${root} ${join(root, 'hello.ts')} a b\n`);
  expect(await compiled()).toBe(file);

  write('greeting.ts', `export const GREETING = 'good morning';`);
  const next = await compiled();
  expect(next).not.toBe(file);
  expect(run(next, 'hello.ts')).toMatch(/^good morning /);
});

it('names lines of sources in stacks', async () => {
  write('fails.ts', `\n\nfunction fail(): never {\n  throw new Error('no');\n}\nfail();\n`);
  const file = await compiled(['hello.ts', 'fails.ts']);
  expect(() => run(file, 'fails.ts')).toThrow(`Error: no\n    at fail (${join(root, 'fails.ts')}:4)`);
});
