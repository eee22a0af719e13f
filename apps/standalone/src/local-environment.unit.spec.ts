import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BILLING } from '@evenkeel/billing';
import { Closers } from './closers';
import { writeLocalEnvironment } from './local-environment';

const folder = mkdtempSync(join(tmpdir(), 'environment-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('gives the shell of an operator every setting of the service as it is, while the run lasts', async () => {
  const settings = {
    DATABASE_URL: `postgres://o'hara:$1@127.0.0.1/billing`,
    STRIPE_SECRET_KEY: 'sk_test_1',
    PORT: '8080',
  };
  const closers = new Closers();
  const given = { ...settings, STRIPE_PRICE_MONTHLY: '', SMTP_URL: 'none', HOME: '/home/ada' };
  writeLocalEnvironment(folder, { service: BILLING, settings: (env) => env }, given, closers);
  const file = join(folder, 'billing.env');
  const read = execFileSync('env', ['-i', 'sh', '-c', `set -a; . '${file}'; unset PWD OLDPWD SHLVL _; env`], {
    encoding: 'utf8',
  });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  expect(read.trim().split('\n').sort()).toEqual(lines.sort());
  await closers.close();
  expect(existsSync(file)).toBe(false);
});
