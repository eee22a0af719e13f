import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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

/**
 * Under another name until it is complete: a killed start leaves nothing that looks like a cluster. Of starts at the same moment
 * each makes its own, with the same password, and the first one is kept.
 */
function initialise(folder: string, cluster: string, { initdb }: Binaries, user: ServerUser): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith('cluster.unfinished'))) {
    const starter = Number(name.split('.')[2]);
    if (starter === process.pid || !commandLineOf(starter)) rmSync(join(folder, name), { recursive: true });
  }
  const unfinished = `${cluster}.unfinished.${process.pid}`;
  mkdirSync(unfinished, { mode: 0o700 });
  giveTo(user, unfinished);
  const passwordFile = keptPassword(folder, user);
  const args = [`--pgdata=${unfinished}`, `--pwfile=${passwordFile}`, ...INITDB];
  const { status, stderr, error } = spawnSync(initdb, args, { ...user, cwd: '/', encoding: 'utf8' });
  if (status !== 0) {
    throw new CannotStartPostgres(`A database could not be made in ${folder}: ${error?.message ?? stderr.trim()}`);
  }
  try {
    renameSync(unfinished, cluster);
  } catch (failure) {
    if (!existsSync(cluster)) throw failure;
    rmSync(unfinished, { recursive: true });
  }
}

/** @returns the file of the password, which is never seen half written, nor replaced by another start */
function keptPassword(folder: string, user: ServerUser): string {
  const kept = join(folder, 'password');
  const written = `${kept}.${process.pid}`;
  writeFileSync(written, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(user, written);
  try {
    linkSync(written, kept);
  } catch (failure) {
    if (!existsSync(kept)) throw failure;
  }
  rmSync(written);
  return kept;
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
      throw new CannotStartPostgres(inUse(cluster, String(pid)));
    }
    await sleep(POLL_MS);
  }
}

const inUse = (cluster: string, pid: string): string =>
  `The database in ${cluster} is in use by process ${pid}. Stop that one, or set DATA_DIR to another folder.`;

function commandLineOf(pid: number): string {
  const { stdout } = existsSync('/proc/self/cmdline')
    ? spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' })
    : spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout;
}

function refusal(error: unknown, cluster: string, port: number): CannotStartPostgres {
  const said = error instanceof ServerDidNotStart ? error.lines.join('\n') : '';
  // Another start, at the same moment, had the folder first.
  const [, first] = /Is another postmaster \(PID (\d+)\) running/.exec(said) ?? [];
  if (first) return new CannotStartPostgres(inUse(cluster, first), { cause: error });
  const isTaken = /could not (bind|create any)/.test(said);
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
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Makes a database of this name on a server where there is none yet.
 * @param serverUrl of any database of the server, with the right to make others
 * @returns address of the database
 * @throws Error with a sentence that names the server
 */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl, connectionTimeoutMillis: CONNECT_MS });
  // The statement under way is told, too.
  client.on('error', () => undefined);
  const unusable = (error: Error & { code?: string }): Error => {
    // A name with several addresses fails with an error without a message of its own.
    const cause = error.message || error.code;
    return new Error(`PostgreSQL at ${client.host}:${client.port} cannot be used: ${cause}.`, { cause: error });
  };
  await client.connect().catch((error: Error) => {
    throw unusable(error);
  });
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === INSUFFICIENT_PRIVILEGE) {
      const remedy = `Make it, owned by ${client.user}, or give this user the right CREATEDB.`;
      throw new Error(`PostgreSQL has no database ${name}, and did not make it: ${message}. ${remedy}`, {
        cause: error,
      });
    }
    // Else another process has made it meanwhile.
    if (code !== DUPLICATE_DATABASE) throw unusable(error as Error);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
