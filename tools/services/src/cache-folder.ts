import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MANIFEST = 'complete.json';

/**
 * A folder outside the checkout, filled once for all checkouts and runs of this user. Filled under another name and
 * renamed when it is whole, so that two at once do no harm; one that has lost a file since is filled again.
 * @param name changes with what is wanted in it
 * @param fill writes all that belongs into the folder it is given
 */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheHome(), 'evenkeel', name);
  if (isComplete(folder)) return folder;

  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await fill(unfinished);
    const files = filesOf(unfinished).map((file) => [file, statSync(join(unfinished, file)).size]);
    writeFileSync(join(unfinished, MANIFEST), JSON.stringify(files));
    putInPlace(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function cacheHome(): string {
  // eslint-disable-next-line no-restricted-syntax -- a convention of the system, not a setting of the product
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

function isComplete(folder: string): boolean {
  const manifest = join(folder, MANIFEST);
  if (!existsSync(manifest)) return false;
  const files = JSON.parse(readFileSync(manifest, 'utf8')) as [file: string, bytes: number][];
  return files.every(([file, bytes]) => statSync(join(folder, file), { throwIfNoEntry: false })?.size === bytes);
}

/** A copy that another process has put there is equally good; a broken one is moved away first. */
function putInPlace(finished: string, folder: string): void {
  if (existsSync(folder) && !isComplete(folder)) {
    const broken = `${finished}.broken`;
    renameSync(folder, broken);
    rmSync(broken, { recursive: true, force: true });
  }
  try {
    renameSync(finished, folder);
  } catch (error) {
    if (!isComplete(folder)) throw error;
  }
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
