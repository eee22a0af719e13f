import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptSecret } from '@evenkeel/platform/config';

/** Keys of a local run, stored with its data: what one run has signed or encrypted is good in the next. */
export function localKeys(dataDir: string, name: 'answer' | 'receipt' | 'access' | 'refresh'): string {
  return keptSecret(join(dataDir, `${name}.keys`), () => `local:${randomBytes(32).toString('base64')}`);
}
