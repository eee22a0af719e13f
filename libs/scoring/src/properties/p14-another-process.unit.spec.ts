import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PLACES = [
  { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LC_ALL: 'de_CH.UTF-8', LANG: 'de_CH.UTF-8', LANGUAGE: 'de' },
];

describe('P14', () => {
  it('gives the same bytes in processes of other time zones and locales', async () => {
    const digests = await Promise.all(PLACES.map(digestIn));
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests)).toEqual(new Set([digests[0]]));
  }, 60_000);
});

async function digestIn(place: NodeJS.ProcessEnv): Promise<string> {
  const program = join(__dirname, 'print-digest.fixture.ts');
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const { stdout } = await run(process.execPath, [...flags, program], { env: { ...process.env, ...place } });
  return stdout;
}
