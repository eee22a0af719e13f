import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port';
import { logToOperator, type OperatorLog } from '../ensure-program';
import { ServerDidNotStart, startServer } from '../server-process';
import { findBinaries } from './binaries';
import { CannotStartPostgres, prepareCluster, reachableFolder, serverUser } from './data-folder';

const POLL_MS = 100;

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
  stop(): Promise<void>;
}

/** A server that forgets is as fast as memory, and for tests as good; a crash of the machine loses it. */
const FORGETFUL = ['fsync=off', 'full_page_writes=off', 'max_connections=300'];

/**
 * Starts the embedded PostgreSQL on the data of an earlier run, or on new ones. It stops with `stop`, and also when
 * this process ends without calling it.
 * @throws CannotStartPostgres with a sentence that names the folder and the remedy
 */
export function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  return start(options, [], undefined);
}

/** The same for one run: a folder of the system for temporary files, removed at the end, and no waiting for the disk. */
export function startTemporaryPostgres(options: Omit<PostgresOptions, 'dataDir'> = {}): Promise<RunningPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-postgres-'));
  return start({ ...options, dataDir }, FORGETFUL, dataDir);
}

async function start(options: PostgresOptions, settings: string[], temporary?: string): Promise<RunningPostgres> {
  const { dataDir, log = logToOperator, releaseWithinMs = 10_000 } = options;
  const user = serverUser(log);
  const binaries = findBinaries(user, log);
  if (temporary && user.uid !== undefined && user.gid !== undefined) chownSync(temporary, user.uid, user.gid);
  const folder = reachableFolder(dataDir, user, log);
  const { cluster, password } = prepareCluster(folder, binaries, user);
  await awaitRelease(cluster, releaseWithinMs);

  const port = options.port ?? (await freePort());
  const removed = temporary && folder;
  const server = await startServer({
    program: binaries.postgres,
    args: serverArguments(cluster, port, settings),
    user,
    readyLine: 'database system is ready to accept connections',
    stopSignal: 'SIGINT',
    forceSignal: 'SIGQUIT',
    removeAfterwards: removed,
  }).catch((error: unknown) => {
    throw refusal(error, cluster, port);
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    if (removed) rmSync(removed, { recursive: true, force: true });
  };
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop, [Symbol.asyncDispose]: stop };
}

function serverArguments(cluster: string, port: number, settings: string[]): string[] {
  const all = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_checkpoints=off'];
  return ['-D', cluster, ...[...all, ...settings].flatMap((setting) => ['-c', setting])];
}

function refusal(error: unknown, cluster: string, port: number): CannotStartPostgres {
  const { message } = error as Error;
  const taken =
    error instanceof ServerDidNotStart && error.lines.some((line) => /could not (bind|create any)/.test(line));
  return new CannotStartPostgres(
    taken
      ? `PostgreSQL cannot listen on port ${port} of 127.0.0.1: another process has it. Stop that one or take another.`
      : `PostgreSQL did not start with the data in ${cluster}: ${message}. ` +
          'Move the folder away to begin with an empty database, or put a backup in its place.',
    { cause: error },
  );
}

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
    if (!serves(pid, cluster)) return rmSync(pidFile, { force: true });
    if (performance.now() >= deadline) {
      throw new CannotStartPostgres(
        `The database in ${cluster} is in use by process ${pid}. Stop that one, or set DATA_DIR to another folder.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** The number alone proves nothing: after a crash of the machine any process may have it. */
function serves(pid: number, cluster: string): boolean {
  return Number.isInteger(pid) && commandLineOf(pid).includes(cluster);
}

function commandLineOf(pid: number): string {
  const { stdout } = existsSync('/proc/self/cmdline')
    ? spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' })
    : spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout;
}
