import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keys of stored answers for a local run: made once, kept with the data that they decrypt. */
export function localAnswerKeys(dataDir: string): string {
  const file = join(dataDir, 'answer.keys');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, `local:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}
