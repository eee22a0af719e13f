import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fetchedPackages } from './fetched-packages';

const WALLETS = 'tools/buyers/wallets/packages';

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

describe('fetchedPackages', () => {
  it('installs once what the lock names, runs nothing of it, and says so', async () => {
    npmIs('mkdir node_modules && echo "$@" > node_modules/arguments && cat package-lock.json > node_modules/lock');
    const log = jest.fn<void, [string]>();
    const folder = await fetchedPackages(WALLETS, log);
    expect(readdirSync(folder).sort()).toEqual(
      ['.npmrc', 'complete.json', 'load.mjs', 'node_modules', 'package-lock.json', 'package.json'].sort(),
    );
    expect(log.mock.calls[0]).toEqual(['Installing the wallets that the tests pay with, once.']);

    npmIs('exit 1');
    expect(await fetchedPackages(WALLETS, log)).toBe(folder);
  });

  it('says what npm said when it fails, and leaves nothing behind', async () => {
    npmIs('echo "npm error network unreachable" >&2; exit 7');
    await expect(fetchedPackages(WALLETS, jest.fn())).rejects.toThrow(
      'npm could not install tools/buyers/wallets/packages (7). Let it reach a registry:\nnpm error network unreachable',
    );
    expect(readdirSync(join(home, 'evenkeel'))).toEqual([]);
  });
});
