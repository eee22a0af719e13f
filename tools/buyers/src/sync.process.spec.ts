import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { CLIENTS, withClient } from './generated-clients';

const INSTALLATION_LIMIT_MS = 600_000;

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

// Clients that need no compiler to be installed.
it.each(Object.entries({ typescript: 'sync.mjs', python: 'sync.py' }))(
  'a %s client that is generated from the live document goes on past the first deletion',
  async (name, file) => {
    const client = CLIENTS.find((one) => one.name === name)!;
    const log = (line: string) => process.stderr.write(`${line}\n`);
    const said = await withClient(client, url, process.env, log, async ({ program, cwd, env }) => {
      const { stdout } = await promisify(execFile)(program, [file], { cwd, env: { ...env, SELLER: url } });
      return JSON.parse(stdout) as unknown;
    });
    const id = expect.any(String) as string;
    const deleted = ['log', 'habit'].map((kind) => [kind, id]);
    expect(said).toEqual({ deleted, more: false });
  },
  INSTALLATION_LIMIT_MS,
);
