import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import type { PostgresClients } from './postgres-clients';

const run = promisify(execFile);

type Databases = Readonly<Record<AppName, string>>;

/** All four at once: each is of one moment, and the moments lie close together. */
export async function dumpAll({ pgDump }: PostgresClients, databases: Databases, folder: string): Promise<void> {
  await Promise.all(
    APP_NAMES.map((app) =>
      run(pgDump, ['--format=custom', `--file=${dumpOf(app, folder)}`, `--dbname=${databases[app]}`]),
    ),
  );
}

/** Into empty databases. */
export async function restoreAll({ pgRestore }: PostgresClients, databases: Databases, folder: string): Promise<void> {
  await Promise.all(
    APP_NAMES.map((app) =>
      run(pgRestore, ['--no-owner', '--exit-on-error', `--dbname=${databases[app]}`, dumpOf(app, folder)]),
    ),
  );
}

function dumpOf(app: AppName, folder: string): string {
  return join(folder, `${app}.dump`);
}
