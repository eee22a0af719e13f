import type { Redis, Result } from 'ioredis';
import { WINDOW_SCRIPT } from './window-script';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Three numbers for each key: allowed (1 or 0), used, reset in milliseconds. */
    hitWindows(keyCount: number, ...keysAndArguments: (string | number)[]): Result<number[], Context>;
  }
}

const CONNECT_MS = 500;
const LONGEST_PAUSE_MS = 500;

/**
 * A connection on which nothing waits long: commands fail at once when Redis is not there, and after 100 ms when it is
 * silent. It connects again by itself.
 * @returns once it is connected, or did not connect in half a second
 */
export async function connectRedis(url: string): Promise<Redis> {
  // Loaded only where Redis is used.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    connectTimeout: CONNECT_MS,
    commandTimeout: 100,
    // A connection that has gone silent is replaced, should its other end not exist any more.
    socketTimeout: 1_000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A hit without an answer was decided elsewhere: sent again it would count twice.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, LONGEST_PAUSE_MS),
  });
  redis.defineCommand('hitWindows', { lua: WINDOW_SCRIPT });
  // Every command tells its own failure; an error that nobody listens to would end the process.
  redis.on('error', () => undefined);
  await connected(redis);
  return redis;
}

function connected(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONNECT_MS);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
