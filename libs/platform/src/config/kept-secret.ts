import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A secret of a local run: made once, then read from its file, which its owner alone may read.
 * Of processes that start together one makes it, and all have the same. A crash leaves it whole or not at all.
 * @throws Error of the file system
 */
export function keptSecret(file: string, make: () => string): string {
  if (!existsSync(file)) keep(file, make());
  return readFileSync(file, 'utf8').trim();
}

/** The file gets its name when it is complete; that of another process stays. */
function keep(file: string, secret: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flush: true });
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
