import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const hasSpin = spawnSync('spin', ['-V']).status === 0;

// The model is checked where spin is; everywhere else this is what a developer sees.
it(
  hasSpin ? 'checks the smallest searches' : 'says what to type where spin is missing',
  () => {
    const script = join(__dirname, '../model.sh');
    const { status, stdout, stderr } = spawnSync('/bin/sh', [script, '--quick'], { encoding: 'utf8' });
    if (!hasSpin) return expect([status, stderr]).toEqual([2, expect.stringContaining('sudo apt-get install spin')]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^holds +holds +\d+ +[\d.]+ +protocol$/m);
    expect(stdout).toMatch(/^fails +fails +\d+ +[\d.]+ +planted-settled-twice$/m);
    expect(stdout).toMatch(/^All \d+ are as expected\.$/m);
  },
  300_000,
);
