import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const FLAGS = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];

it.each(['end', 'exit'])('writes out what is buffered at the %s of the process', (how) => {
  const program = [...FLAGS, join(__dirname, 'log-output.fixture.ts'), how];
  const line = execFileSync(process.execPath, program, { encoding: 'utf8' });
  expect(JSON.parse(line)).toMatchObject({ service: 'shop', message: 'closing' });
});
