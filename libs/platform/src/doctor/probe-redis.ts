import type { ServiceConfig } from '../config';
import { failureSentence } from './failure-sentence';
import { off, ok, wrong, type Finding, type Probe } from './finding';

/** The store that processes share for their rate limits. */
export function redisProbe({ REDIS_URL }: ServiceConfig): Probe {
  return { subject: 'redis', settings: 'REDIS_URL', examine: (stepMs) => examineRedis(REDIS_URL, stepMs) };
}

async function examineRedis(url: string | undefined, stepMs: number): Promise<Finding[]> {
  if (url === undefined) return [off('redis', 'REDIS_URL is not set: each process counts rate limits for itself.')];
  const { hostname, port, protocol, pathname } = new URL(url);
  const target = { name: `Redis at ${hostname}:${port || 6_379}`, settings: 'REDIS_URL' };
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: stepMs,
    commandTimeout: stepMs,
  });
  // The reason of a failed connection comes here, and only "Connection is closed" where it was asked for.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    // The client does not tell when this fails.
    await redis.select(Number(pathname.slice(1)) || 0);
    // As the limits are counted: by a script that writes.
    await redis.eval(`return redis.call('SET', KEYS[1], '', 'PX', 1)`, 1, 'rate:doctor');
    return [ok('redis', `${target.name} answers${protocol === 'rediss:' ? ' over TLS' : ', without TLS'}.`)];
  } catch (error) {
    return [wrong('redis', failureSentence(reason ?? error, target))];
  } finally {
    redis.disconnect();
  }
}
