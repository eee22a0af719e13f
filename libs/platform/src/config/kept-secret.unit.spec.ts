import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret } from './kept-secret';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  file = join(folder, 'data/one.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is made once, for its owner alone, with nothing beside it', () => {
  expect([keptSecret(file, () => 'first'), keptSecret(file, () => 'second')]).toEqual(['first', 'first']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'data'))).toEqual(['one.key']);
});

it('is the one of the process that was first', () => {
  const made = keptSecret(file, () => {
    keptSecret(file, () => 'theirs');
    return 'ours';
  });
  expect(made).toBe('theirs');
  expect(readdirSync(join(folder, 'data'))).toEqual(['one.key']);
});

it('says why when the file cannot be made', () => {
  keptSecret(file, () => 'first');
  expect(() => keptSecret(join(file, 'below'), () => 'second')).toThrow(`mkdir '${file}'`);
});
