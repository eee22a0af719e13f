import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensureWallets } from './ensure-wallets';

let home: string;
const { PATH, XDG_CACHE_HOME } = process.env;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evenkeel-wallets-'));
  Object.assign(process.env, { PATH: `${home}${delimiter}${PATH}`, XDG_CACHE_HOME: home });
});
afterEach(() => {
  process.env.PATH = PATH;
  if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
  rmSync(home, { recursive: true });
});

function npmIs(script: string): void {
  const file = join(home, 'npm');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

describe('ensureWallets', () => {
  it('installs once what the lock names, runs nothing of it, and says so', async () => {
    npmIs('mkdir node_modules && echo "$@" > node_modules/arguments && cat package-lock.json > node_modules/lock');
    const log = jest.fn<void, [string]>();
    const folder = await ensureWallets(log);
    expect(readdirSync(folder).sort()).toEqual(
      ['.npmrc', 'complete.json', 'load.mjs', 'node_modules', 'package-lock.json', 'package.json'].sort(),
    );
    expect(log.mock.calls[0]).toEqual(['Installing the wallets that the tests pay with, once: 310 MB.']);

    npmIs('exit 1');
    expect(await ensureWallets(log)).toBe(folder);
  });

  it('says what npm said when it fails, and leaves nothing behind', async () => {
    npmIs('echo "npm error network unreachable" >&2; exit 7');
    await expect(ensureWallets(jest.fn())).rejects.toThrow(
      'npm could not install the wallets of tools/wallets/packages (7). Let it reach a registry:\nnpm error network unreachable',
    );
    expect(readdirSync(join(home, 'evenkeel'))).toEqual([]);
  });
});
