import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const argumentsOf = (name: string) => [
  '--conditions=@evenkeel/source',
  '--require',
  '@swc-node/register',
  join(__dirname, 'log-output.fixture.ts'),
  name,
];
const outputOf = (name: string) => execFileSync(process.execPath, argumentsOf(name), { encoding: 'utf8' });

it.each(['end', 'exit'])('writes out what is buffered at the %s of the process', (how) => {
  expect(JSON.parse(outputOf(how))).toMatchObject({ service: 'shop', message: 'closing' });
});

it('writes what comes while something else is written, without waiting for more', async () => {
  const program = spawn(process.execPath, argumentsOf('stay'), {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  let lines = 0;
  for await (const _line of createInterface({ input: program.stdout })) {
    if (++lines === 2) program.stdin.end();
  }
  expect(lines).toBe(2);
});

it('writes nothing while nothing is said, however many loggers there are', () => {
  const lines = outputOf('idle').trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(JSON.parse(lines[3]!)).toMatchObject({ writes: 0 });
});
