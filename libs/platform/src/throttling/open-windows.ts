import type { Clock } from '@evenkeel/kernel';
import { LocalWindows } from './local-windows';
import type { RateWindows } from './rate-windows.port';
import { connectRedis } from './redis-connection';
import { RedisWindows } from './redis-windows';
import { SharedWindows } from './shared-windows';

export interface WindowsOptions {
  /** Without one the windows are those of this process. */
  redisUrl?: string;
  /** Processes that share a limit: each takes its part of it while Redis is silent. */
  replicas: number;
  clock: Clock;
}

/** The windows of a process. A Redis that is not there stops nothing. */
export async function openWindows({ redisUrl, replicas, clock }: WindowsOptions): Promise<RateWindows> {
  const local = new LocalWindows(() => clock.now().getTime());
  if (redisUrl === undefined) return local;
  const windows = new SharedWindows(new RedisWindows(await connectRedis(redisUrl)), local, replicas);
  await windows.begin();
  return windows;
}
