import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const END_AT_ONCE = join(__dirname, '../../jest/end-at-once.js');

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'evenkeel-end-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns how a program of this name ended, and what it wrote at its end */
async function endOf(name: string, last: string): Promise<unknown[]> {
  const file = join(folder, name);
  writeFileSync(
    file,
    `require(${JSON.stringify(END_AT_ONCE)});\nprocess.on('exit', () => console.log('bye'));\n${last}`,
  );
  const program = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [[output], end] = await Promise.all([once(program.stdout, 'data'), once(program, 'close')]);
  return [String(output), ...(end as unknown[])];
}

it.each([
  ['a worker of Jest that is done is gone at once, after its last words', 'processChild.js', '', null, 'SIGKILL'],
  ['one that is told to exit keeps its code', 'processChild.js', 'process.exit(3)', 3, null],
  ['Jest itself ends as ever', 'jest.js', '', 0, null],
])('%s', async (_, name, last, code, signal) => {
  expect(await endOf(name, last)).toEqual(['bye\n', code, signal]);
});
