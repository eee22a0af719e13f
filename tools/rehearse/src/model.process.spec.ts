import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../model.sh');

function model(args: string[], path = process.env.PATH) {
  const env = { ...process.env, PATH: path };
  return spawnSync('/bin/sh', [SCRIPT, ...args], { env, encoding: 'utf8' });
}

const hasSpin = spawnSync('spin', ['-V']).status === 0;

describe('npm run model', () => {
  it('says what to type when spin and gcc are missing', () => {
    const { status, stderr } = model([], '/nowhere');
    expect([status, stderr]).toEqual([2, expect.stringContaining('sudo apt-get install spin gcc')]);
  });

  // The model is checked where spin is; everywhere else this is what a developer sees.
  it(
    hasSpin ? 'checks the smallest searches' : 'says that spin is missing here',
    () => {
      const { status, stdout, stderr } = model(['--quick']);
      if (!hasSpin) return expect([status, stderr]).toEqual([2, expect.stringContaining('Missing: ')]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^holds +holds +\d+ +[\d.]+ +protocol$/m);
      expect(stdout).toMatch(/^fails +fails +\d+ +[\d.]+ +planted-settled-twice$/m);
      expect(stdout).toMatch(/^All \d+ are as expected\.$/m);
    },
    300_000,
  );
});
