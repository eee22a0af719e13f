import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

function cacheHome(): string {
  // eslint-disable-next-line no-restricted-syntax -- a convention of the system, not a setting of the product
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}
