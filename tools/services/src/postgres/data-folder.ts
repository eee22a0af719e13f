import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CannotStartService, type OperatorLog } from '../ensure-program';
import type { Binaries } from './binaries';

/** The embedded server cannot run here; the message names the folder and what to do. */
export class CannotStartPostgres extends CannotStartService {
  override readonly name = 'CannotStartPostgres';
}

/** Only root needs it: for what the user postgres must read and cannot where it lies. */
export const LOCAL_FOLDER = '/var/lib/evenkeel';

/** Ids for `spawn`; empty where the server runs as the current user. */
export interface ServerUser {
  uid?: number;
  gid?: number;
}

const NAME = 'postgres';

interface DataFolder {
  /** PGDATA. */
  cluster: string;
  password: string;
}

/** The folder itself, or where its user cannot enter it, another that the user can enter. */
export function reachableFolder(folder: string, user: ServerUser, log: OperatorLog): string {
  const wanted = resolve(folder);
  make(wanted);
  if (user.uid === undefined || canEnter(wanted, user)) return wanted;
  makeLocalFolder();
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const instead = join(LOCAL_FOLDER, `data-${name}`);
  mkdirSync(instead, { recursive: true, mode: 0o755 });
  log(`The user postgres cannot enter ${wanted}: the database is kept in ${instead}.`);
  return instead;
}

function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new CannotStartPostgres(
      `The data folder ${folder} cannot be made (${(error as NodeJS.ErrnoException).code}). Name another, or free its place.`,
      { cause: error },
    );
  }
}

function canEnter(folder: string, user: ServerUser): boolean {
  return spawnSync('test', ['-x', folder], { ...user, cwd: '/' }).status === 0;
}

/**
 * Makes the cluster in a folder, or takes the one that is there.
 * @throws CannotStartPostgres when what is there is of another version or no cluster
 */
export function prepareCluster(folder: string, binaries: Binaries, user: ServerUser): DataFolder {
  const cluster = join(folder, 'cluster');
  if (!existsSync(cluster)) initialise(folder, cluster, binaries, user);
  checkVersion(cluster, binaries.major);
  return { cluster, password: readPassword(folder) };
}

/** Under another name until it is complete: a killed start leaves nothing that looks like a cluster. */
function initialise(folder: string, cluster: string, { initdb }: Binaries, user: ServerUser): void {
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  const { status, stderr, error } = spawnSync(initdb, initdbArguments(unfinished, passwordFile), {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new CannotStartPostgres(`A database could not be made in ${folder}: ${error?.message ?? stderr.trim()}`);
  }
  renameSync(unfinished, cluster);
}

/** The same sorting on every machine; one round of hashing is enough for a password of 192 random bits. */
function initdbArguments(cluster: string, passwordFile: string): string[] {
  return [
    `--pgdata=${cluster}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ];
}

function checkVersion(cluster: string, major: string): void {
  const written = readIfThere(join(cluster, 'PG_VERSION'));
  if (written === major) return;
  const problem = written
    ? `The database in ${cluster} was written by PostgreSQL ${written}, and this is PostgreSQL ${major}.`
    : `The folder ${cluster} holds no complete database: PG_VERSION is missing.`;
  throw new CannotStartPostgres(`${problem} Move it away to begin with an empty one, or put a backup in its place.`);
}

function readPassword(folder: string): string {
  const password = readIfThere(join(folder, 'password'));
  if (password) return password;
  throw new CannotStartPostgres(
    `The folder ${folder} has lost the file "password" of its database. ` +
      'Put it back, or move the folder away to begin with an empty one.',
  );
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

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

/**
 * PostgreSQL refuses to run as root: there it runs as the system user postgres, made when it is missing.
 * @throws CannotStartPostgres when there is no such user and none can be made
 */
export function serverUser(log: OperatorLog): ServerUser {
  if (process.getuid?.() !== 0) return {};
  return lookUp() ?? create(log);
}

function lookUp(): ServerUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, NAME], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function create(log: OperatorLog): ServerUser {
  log(`PostgreSQL cannot run as root: adding the system user ${NAME} for it.`);
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME]);
  const user = lookUp();
  if (user) return user;
  throw new CannotStartPostgres(
    `PostgreSQL cannot run as root, and a user ${NAME} could not be added. ` +
      `Run "useradd --system ${NAME}" first, or start as another user.`,
  );
}
