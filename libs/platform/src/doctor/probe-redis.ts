import type { ServiceConfig } from '../config';
import { failureSentence, reasons, type Target } from './failure-sentence';
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
    return [wrong('redis', refusal(reason ?? error, target, protocol === 'rediss:'))];
  } finally {
    redis.disconnect();
  }
}

function refusal(error: unknown, target: Target, tls: boolean): string {
  const said = reasons(error)
    .map(({ message }) => message)
    .join(' ');
  if (/NOAUTH/.test(said)) return `${target.name} asks for a password: add it to REDIS_URL.`;
  if (/WRONGPASS|invalid password/.test(said))
    return `${target.name} refuses user and password: correct them in REDIS_URL.`;
  if (/NOPERM|permission/i.test(said)) {
    return `${target.name} forbids this user what limits need: allow eval, evalsha, get, set, del and time on rate:*.`;
  }
  if (/READONLY/.test(said))
    return `${target.name} is a replica, which takes no writes: name the primary in REDIS_URL.`;
  if (/DB index is out of range/.test(said))
    return `${target.name} has no database of this number: correct the end of REDIS_URL.`;
  if (/ETIMEDOUT|timed out/i.test(said) && tls) {
    return `${target.name} does not answer over TLS: correct REDIS_URL, which begins with redis:// where there is none.`;
  }
  if (/timed out/i.test(said)) return failureSentence(Object.assign(new Error(said), { code: 'ETIMEDOUT' }), target);
  if (/Connection is closed|Protocol error/.test(said)) {
    return failureSentence(Object.assign(new Error(said), { code: 'ECONNRESET' }), target);
  }
  return failureSentence(error, target);
}
