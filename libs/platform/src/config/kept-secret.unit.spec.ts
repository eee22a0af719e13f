import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret } from './kept-secret';

it('a secret is made once, for its owner alone, by the process that is first, with nothing beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const file = join(folder, 'data/one.key');
  const made = keptSecret(file, () => {
    keptSecret(file, () => 'theirs');
    return 'ours';
  });
  expect([made, keptSecret(file, () => 'later')]).toEqual(['theirs', 'theirs']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'data'))).toEqual(['one.key']);
  expect(() => keptSecret(join(file, 'below'), () => 'another')).toThrow(`mkdir '${file}'`);
  rmSync(folder, { recursive: true });
});
