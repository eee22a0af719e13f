import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ensureProgram, type Program } from '../ensure-program';
import { freePort } from '../free-port';
import { startRestartable, type RestartableServer } from '../restartable-server';

export interface PgbouncerOptions {
  /** The server behind it, with the login of all who come. */
  databaseUrl: string;
  /** When a connection to the server is free for another client. */
  poolMode: 'session' | 'transaction';
  /** Startup parameters that it ignores: `statement_timeout`. */
  ignored?: readonly string[];
}

interface RunningPgbouncer extends RestartableServer {
  /** The same database, through the pooler. */
  url: string;
}

const ANSWERS_WITHIN_MS = 20_000;
const POLL_MS = 50;
const PGBOUNCER: Program = { name: 'pgbouncer', debianPackage: 'pgbouncer', purpose: 'PgBouncer 1.18 or newer' };

/**
 * Starts a PgBouncer in front of a PostgreSQL. It stops with `stop`, and also when this process ends without calling it.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startPgbouncer(options: PgbouncerOptions): Promise<RunningPgbouncer> {
  const { databaseUrl, poolMode, ignored = [] } = options;
  const program = await ensureProgram(PGBOUNCER);
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
  return Object.assign(await startRestartable('PgBouncer', command, () => untilItAnswers(url)), { url });
}

/** It says that it is up before it listens. */
async function untilItAnswers(connectionString: string): Promise<void> {
  const deadline = performance.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    const client = new Client({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}
