import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateWindows } from './rate-windows.port';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Lets the throttler of Nest count in our windows. A block ends when its window has room again. */
export class WindowThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly windows: RateWindows) {}

  async increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerStorageRecord> {
    const rate = { limit, windowSeconds: ttl / 1_000 };
    const { allowed, used, resetMs } = await this.windows.take(`${throttlerName}:${key}`, rate);
    const seconds = Math.max(1, Math.ceil(resetMs / 1_000));
    return { totalHits: used, timeToExpire: seconds, isBlocked: !allowed, timeToBlockExpire: allowed ? 0 : seconds };
  }
}
