import { mkdirSync } from 'node:fs';
import { CannotStartPostgres } from './cannot-start-postgres';

/** Only root needs it: for what the user postgres must read and cannot where it lies. */
export const LOCAL_FOLDER = '/var/lib/evenkeel';

export function makeLocalFolder(): void {
  try {
    mkdirSync(LOCAL_FOLDER, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new CannotStartPostgres(
      `PostgreSQL needs a folder that the user postgres can enter, and ${LOCAL_FOLDER} could not be made. ` +
        'Move the checkout below a folder that everybody may enter (chmod o+x), or start as another user.',
      { cause: error },
    );
  }
}
