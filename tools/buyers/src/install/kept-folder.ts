import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder } from '@evenkeel/services';

/** Where the pages of `docs/buy` are, and the projects in which generated clients are compiled. */
export const ROOT = join(__dirname, '../../../..');

/**
 * A folder in `~/.cache/evenkeel` that is filled once for what the files say.
 * @param files paths from the root folder: lock files, and sources of what is compiled
 * @param besides what else it depends on, such as the version of a language
 */
export function keptFolder(
  name: string,
  files: readonly string[],
  besides: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(besides);
  for (const file of files) digest.update(readFileSync(join(ROOT, file)));
  return cachedFolder(`${name}-${digest.digest('hex').slice(0, 12)}`, fill);
}
