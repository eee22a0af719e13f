import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

it.each(['end', 'exit'])(
  'writes out what is buffered when the process comes to its %s',
  (how) => {
    const program = join(__dirname, 'log-output.fixture.ts');
    const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
    const output = execFileSync(process.execPath, [...flags, program, how], { encoding: 'utf8' });
    expect(JSON.parse(output)).toMatchObject({ service: 'shop', message: 'closing' });
  },
  30_000,
);
