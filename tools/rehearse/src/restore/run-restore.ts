import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { CommandLine, integer, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { ENVIRONMENT, surroundingsOf, withCluster } from '../rehearsal';
import { ensurePostgresClients } from './postgres-clients';
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
