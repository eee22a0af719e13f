import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');

/** What `npm run model` runs. */
function model(args: string[], path = process.env.PATH) {
  const command = [
    '--conditions=@evenkeel/source',
    '--require',
    '@swc-node/register',
    'tools/rehearse/src/model/main.ts',
  ];
  const env = { ...process.env, NODE_OPTIONS: '', PATH: path };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, ...args], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const hasSpin = spawnSync('spin', ['-V']).status === 0;

describe('npm run model', () => {
  it('explains itself', () => {
    const { status, stdout } = model(['--help']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('exhaustively')]);
  });

  it('says what to type when spin and gcc are missing', () => {
    const { status, stderr } = model(['--no-install'], '/nowhere');
    expect([status, stderr]).toEqual([2, expect.stringContaining('sudo apt-get install spin gcc')]);
  });

  // The model is checked where spin is; everywhere else this is what a developer sees.
  it(
    hasSpin ? 'checks the smallest searches' : 'says that spin is missing here',
    () => {
      const { status, stdout, stderr } = model(['--quick', '--no-install']);
      if (!hasSpin) return expect([status, stderr]).toEqual([2, expect.stringContaining('Missing: ')]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^holds +holds +\d+ +[\d.]+ +protocol$/m);
      expect(stdout).toMatch(/^fails +fails +\d+ +[\d.]+ +planted-settled-twice$/m);
      expect(stdout).toMatch(/^(\d+) of \1 as expected$/m);
    },
    300_000,
  );
});
