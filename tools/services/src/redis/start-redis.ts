import { ensureProgram, type OperatorLog, type Program } from '../ensure-program';
import { freePort } from '../free-port';
import { startRestartable, type RestartableServer } from '../restartable-server';

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
export async function startRedis({ log, port: given }: RedisOptions = {}): Promise<RunningRedis> {
  const program = await ensureProgram(REDIS, log);
  const port = given ?? (await freePort());
  const server = await startRestartable('Redis', (dir) => {
    const settings = { port, bind: '127.0.0.1', dir, save: '', appendonly: 'no' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return { program, args, readyLine: 'Ready to accept connections' };
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}
