import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService, ensureProgram, type Program } from '../ensure-program';
import { freePort } from '../free-port';
import { startRestartable, type RestartableServer } from '../restartable-server';
import { logToOperator, type OperatorLog } from '../operator-log';

interface RedisOptions {
  /** On 127.0.0.1; a free one by default. */
  port?: number;
  /** Default: standard error. */
  log?: OperatorLog;
}

export interface RunningRedis extends RestartableServer {
  url: string;
}

const REDIS: Program = {
  name: 'redis-server',
  debianPackage: 'redis-server',
  purpose: 'Redis 7, or set REDIS_URL to a server of your own',
};

/**
 * Starts a Redis that keeps nothing: what is in it is gone with the process. It stops with `stop`, and also when this
 * process ends without calling it.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  const program = await ensureProgram(REDIS, options.log ?? logToOperator);
  const port = options.port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-redis-'));
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = { program, args, readyLine: 'Ready to accept connections' };
  const server = await startRestartable(command, folder).catch((error: unknown) => {
    throw new CannotStartService(`Redis did not start on port ${port}: ${(error as Error).message}.`, { cause: error });
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}
