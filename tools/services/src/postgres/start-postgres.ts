import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../free-port';
import { logToOperator, type OperatorLog } from '../ensure-program';
import { ServerDidNotStart, startServer } from '../server-process';
import {
  type Binaries,
  CannotStartPostgres,
  findBinaries,
  reachableFolder,
  serverUser,
  type ServerUser,
} from './installation';

interface PostgresOptions {
  /** Kept between runs, made when it is not there. */
  dataDir: string;
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** Default: standard error. */
  log?: OperatorLog;
  /** How long to wait for a server that still has the folder open. Default 10 s. */
  releaseWithinMs?: number;
}

export interface RunningPostgres extends AsyncDisposable {
  /** Of the maintenance database, as its superuser. */
  url: string;
  stop: () => Promise<void>;
}

/** A server that forgets is as fast as memory, and for tests as good; a crash of the machine loses it. */
const FORGETFUL = ['fsync=off', 'full_page_writes=off', 'max_connections=300'];

/**
 * Starts the embedded PostgreSQL on the data of an earlier run, or on new ones. It stops with `stop`, and also when
 * this process ends without calling it.
 * @throws CannotStartPostgres with a sentence that names the folder and the remedy
 */
export function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  return start(options);
}

/** The same for one run: a folder of the system for temporary files, removed at the end, and no waiting for the disk. */
export function startTemporaryPostgres(): Promise<RunningPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-postgres-'));
  return start({ dataDir }, FORGETFUL, dataDir);
}

async function start(
  { dataDir, port: wanted, log = logToOperator, releaseWithinMs = 10_000 }: PostgresOptions,
  settings: readonly string[] = [],
  temporary?: string,
): Promise<RunningPostgres> {
  const user = serverUser(log);
  const binaries = findBinaries(user, log);
  if (temporary) giveTo(user, temporary);
  const folder = reachableFolder(dataDir, user, log);
  const cluster = join(folder, 'cluster');
  if (!existsSync(cluster)) initialise(folder, cluster, binaries, user);
  const password = passwordOf(folder, cluster, binaries);
  await awaitRelease(cluster, releaseWithinMs);

  const port = wanted ?? (await freePort());
  const own = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_checkpoints=off'];
  const server = await startServer({
    program: binaries.postgres,
    args: ['-D', cluster, ...[...own, ...settings].flatMap((setting) => ['-c', setting])],
    user,
    readyLine: 'database system is ready to accept connections',
    stopSignal: 'SIGINT',
    forceSignal: 'SIGQUIT',
    removeAfterwards: temporary && folder,
  }).catch((error: unknown) => {
    throw refusal(error, cluster, port);
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    if (temporary) rmSync(folder, { recursive: true, force: true });
  };
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop, [Symbol.asyncDispose]: stop };
}

function giveTo({ uid, gid }: ServerUser, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** The same sorting on every machine; one round of hashing is enough for a password of 192 random bits. */
const INITDB = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--set=scram_iterations=1',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
  '--no-sync',
];

/** Under another name until it is complete: a killed start leaves nothing that looks like a cluster. */
function initialise(folder: string, cluster: string, { initdb }: Binaries, user: ServerUser): void {
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(user, unfinished);
  giveTo(user, passwordFile);
  const args = [`--pgdata=${unfinished}`, `--pwfile=${passwordFile}`, ...INITDB];
  const { status, stderr, error } = spawnSync(initdb, args, { ...user, cwd: '/', encoding: 'utf8' });
  if (status !== 0) {
    throw new CannotStartPostgres(`A database could not be made in ${folder}: ${error?.message ?? stderr.trim()}`);
  }
  renameSync(unfinished, cluster);
}

/** @throws CannotStartPostgres when what is there is of another version or no cluster */
function passwordOf(folder: string, cluster: string, { major }: Binaries): string {
  const written = readIfThere(join(cluster, 'PG_VERSION'));
  const password = readIfThere(join(folder, 'password'));
  if (written === major && password) return password;
  let problem = `The folder ${folder} has lost the file "password" of its database.`;
  if (!written) problem = `The folder ${cluster} holds no complete database: PG_VERSION is missing.`;
  else if (written !== major)
    problem = `The database in ${cluster} was written by PostgreSQL ${written}, and this is PostgreSQL ${major}.`;
  throw new CannotStartPostgres(
    `${problem} Move the folder away to begin with an empty one, or put a backup in its place.`,
  );
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

const POLL_MS = 100;

/**
 * Makes sure that no server has this cluster open. One that lost its starter is about to stop and is waited for; a
 * file of one that was killed is removed.
 * @throws CannotStartPostgres when another one goes on using the cluster
 */
async function awaitRelease(cluster: string, withinMs: number): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const deadline = performance.now() + withinMs;
  while (existsSync(pidFile)) {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    // The number alone proves nothing: after a crash of the machine any process may have it.
    if (!commandLineOf(pid).includes(cluster)) return rmSync(pidFile, { force: true });
    if (performance.now() >= deadline) {
      throw new CannotStartPostgres(
        `The database in ${cluster} is in use by process ${pid}. Stop that one, or set DATA_DIR to another folder.`,
      );
    }
    await sleep(POLL_MS);
  }
}

function commandLineOf(pid: number): string {
  const { stdout } = existsSync('/proc/self/cmdline')
    ? spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' })
    : spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout;
}

function refusal(error: unknown, cluster: string, port: number): CannotStartPostgres {
  const isTaken =
    error instanceof ServerDidNotStart && error.lines.some((line) => /could not (bind|create any)/.test(line));
  return new CannotStartPostgres(
    isTaken
      ? `PostgreSQL cannot listen on port ${port} of 127.0.0.1: another process has it. Stop that one or take another.`
      : `PostgreSQL did not start with the data in ${cluster}: ${(error as Error).message}. ` +
          'Move the folder away to begin with an empty database, or put a backup in its place.',
    { cause: error },
  );
}

/** The process may be busy with the start of other things. */
const CONNECT_MS = 30_000;
const DUPLICATE_DATABASE = '42P04';

/**
 * Makes a database of this name on a server where there is none yet.
 * @param serverUrl of any database of the server, with the right to make others
 * @returns address of the database
 * @throws Error with a sentence that names the server
 */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl, connectionTimeoutMillis: CONNECT_MS });
  await client.connect().catch((error: Error & { code?: string }) => {
    // A name with several addresses fails with an error without a message of its own.
    const cause = error.message || error.code;
    throw new Error(`PostgreSQL at ${client.host}:${client.port} cannot be used: ${cause}.`, { cause: error });
  });
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
