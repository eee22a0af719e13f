import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { CLIENTS, copySources } from './generated-clients';

const INSTALLATION_LIMIT_MS = 600_000;
/** Clients that need no compiler to be installed. */
const LANGUAGES = { typescript: 'sync.mjs', python: 'sync.py' } as const;

let home: string;
let url: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'evenkeel-sync-'));
  // The database server may run as another user.
  chmodSync(home, 0o755);
  const ports = { PORT: '0', INTERNAL_PORT: '0', FACILITATOR_PORT: '0' };
  const run = Program.script('start', { DATA_DIR: join(home, 'data'), ...ports });
  url = (await run.prints(/^Evenkeel runs at (\S+)[^]*Ctrl-C stops it/m))[1]!;
}, 180_000);

afterAll(async () => {
  await stopPrograms();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

it.each(Object.entries(LANGUAGES))(
  'a %s client that is generated from the live document goes on past the first deletion',
  async (name, program) => {
    const work = join(home, name);
    copySources(name, work);
    writeFileSync(join(work, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text());
    const { make } = CLIENTS.find((client) => client.name === name)!;
    const made = await make(work, process.env, (line) => process.stderr.write(`${line}\n`));
    const { stdout } = await promisify(execFile)(made.program, [program], {
      cwd: made.cwd,
      env: { ...made.env, SELLER: url },
    });
    const names = [expect.any(String), expect.any(String)] as string[];
    expect(JSON.parse(stdout)).toEqual({
      deleted: [
        ['log', names[0]],
        ['habit', names[1]],
      ],
      more: false,
    });
  },
  INSTALLATION_LIMIT_MS,
);
