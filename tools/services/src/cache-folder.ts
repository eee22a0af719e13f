import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MANIFEST = 'complete.json';

/**
 * A folder outside the checkout, filled once for all checkouts and runs of this user. Filled under another name and
 * renamed when it is whole, so that two at once do no harm.
 * @param name changes with what is wanted in it
 * @param fill writes all that belongs into the folder it is given
 */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheHome(), 'evenkeel', name);
  if (existsSync(join(folder, MANIFEST))) return folder;

  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await fill(unfinished);
    writeFileSync(join(unfinished, MANIFEST), '{}');
    renameSync(unfinished, folder);
  } catch (error) {
    // A copy that another process has put there is equally good.
    if (!existsSync(join(folder, MANIFEST))) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The same, filled once for what files say.
 * @param files lock files, and sources of what is compiled
 * @param besides what else it depends on, such as the version of a language
 */
export function keptFolder(
  name: string,
  files: readonly string[],
  fill: (folder: string) => Promise<void>,
  besides = '',
): Promise<string> {
  const digest = createHash('sha256').update(besides);
  for (const file of files) digest.update(readFileSync(file));
  return cachedFolder(`${name}-${digest.digest('hex').slice(0, 12)}`, fill);
}

function cacheHome(): string {
  // eslint-disable-next-line no-restricted-syntax -- a convention of the system, not a setting of the product
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}
