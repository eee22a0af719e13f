import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ensureProgram, type OperatorLog } from './ensure-program';
import { freePort } from './free-port';
import { type RestartableServer, startRestartable } from './restartable-server';

export interface RunningRedis extends RestartableServer {
  url: string;
}

/**
 * Starts a Redis that keeps nothing: what is in it is gone with the process.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startRedis({ log, port }: { log?: OperatorLog; port?: number } = {}): Promise<RunningRedis> {
  const purpose = 'Redis 7, or set REDIS_URL to a server of your own';
  const program = await ensureProgram({ name: 'redis-server', debianPackage: 'redis-server', purpose }, log);
  const own = port ?? (await freePort());
  const server = await startRestartable('Redis', (dir) => {
    const settings = { port: own, bind: '127.0.0.1', dir, save: '', appendonly: 'no' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return { program, args, readyLine: 'Ready to accept connections' };
  });
  return { ...server, url: `redis://127.0.0.1:${own}` };
}

/**
 * Starts HAProxy with a configuration, which says where it listens.
 * @param onLine takes each line of its own log, where the configuration has one to standard output
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startHaproxy(
  configuration: string,
  { onLine }: { onLine?: (line: string) => void } = {},
): Promise<RestartableServer> {
  const program = await ensureProgram({ name: 'haproxy', debianPackage: 'haproxy', purpose: 'HAProxy 2.6 or newer' });
  return startRestartable('HAProxy', (folder) => {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, configuration);
    // Only a master process says when its worker listens.
    return { program, args: ['-W', '-db', '-f', file], readyLine: 'Loading success', onLine };
  });
}

export interface PgbouncerOptions {
  /** The server behind it, with the login of all who come. */
  databaseUrl: string;
  /** When a connection to the server is free for another client. */
  poolMode: 'session' | 'transaction';
  /** Startup parameters that it ignores: `statement_timeout`. */
  ignored?: readonly string[];
}

/**
 * Starts a PgBouncer in front of a PostgreSQL.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startPgbouncer(options: PgbouncerOptions): Promise<RestartableServer & { url: string }> {
  const { databaseUrl, poolMode, ignored = [] } = options;
  const program = await ensureProgram({ name: 'pgbouncer', debianPackage: 'pgbouncer', purpose: 'PgBouncer 1.18' });
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort || 5_432} user=${username} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${poolMode}`,
    `ignore_startup_parameters = ${['extra_float_digits', ...ignored].join(',')}`,
    // It does not run as root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ];
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port }).href;
  const command = (folder: string) => {
    chmodSync(folder, 0o755);
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(file, `${settings.join('\n')}\n`);
    return { program, args: [file], readyLine: 'process up' };
  };
  return { ...(await startRestartable('PgBouncer', command, () => untilItAnswers(url))), url };
}

const ANSWERS_WITHIN_MS = 20_000;
const POLL_MS = 50;

/** It says that it is up before it listens. */
async function untilItAnswers(connectionString: string): Promise<void> {
  for (const deadline = performance.now() + ANSWERS_WITHIN_MS; ; await sleep(POLL_MS)) {
    const client = new Client({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
