import type { Clock } from '@evenkeel/kernel';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Rate, scaled } from '../config';

/** The state of a key in its window. */
export interface LimitStatus {
  /** Whether the hit was within the limit and is counted. */
  allowed: boolean;
  /** Hits that use the limit, rounded up; the whole limit when refused. */
  used: number;
  /** When allowed, until the running window ends; when refused, until a repeat may be allowed. */
  resetMs: number;
  /** Takes the hit back, once and in the background, from the window and the store that counted it. */
  giveBack(): void;
}

const PAUSE_MS = 500;

interface Counted {
  /** Hits in the running window, this one included, and in the one before. */
  current: number;
  previous: number;
  /** The limit of the store: a process that counts alone has its part. */
  limit: number;
  takeBack: () => void;
}

/**
 * Counts hits per key in a sliding window of two fixed ones: the hits of the running window, and those of the window before by
 * the part of it that the last `windowSeconds` still overlap. The count that the store returns decides, so that of many hits
 * at once never more than the limit pass. Replicas share the counts in Redis for as long as it answers. Never fails.
 */
export class RateWindows implements OnApplicationShutdown {
  private readonly local = new LocalCounts();
  private readonly shared?: RateLimiterRedis;
  /** While Redis is silent or slow, one hit in half a second waits for it, and no other. */
  private askAgainAt = 0;
  /** Hits that were decided without the store that all replicas share. */
  degradedTotal = 0;

  /**
   * @param redis null: each process counts for itself
   * @param replicas processes that share a limit: each allows its part while Redis is silent
   */
  constructor(
    private readonly clock: Clock,
    private readonly redis: Redis | null = null,
    private readonly replicas = 1,
  ) {
    if (redis) this.shared = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'rate', points: 0, duration: 0 });
  }

  /** Counts a hit, unless the limit is reached: a refused hit is taken back. */
  async take(key: string, rate: Rate): Promise<LimitStatus> {
    const windowMs = rate.windowSeconds * 1_000;
    const nowMs = this.clock.now().getTime();
    const index = Math.floor(nowMs / windowMs);
    const leftMs = (index + 1) * windowMs - nowMs;
    const { current, previous, limit, takeBack } = await this.count(key, rate, index);

    const overlap = (previous * leftMs) / windowMs;
    let isCounted = true;
    const giveBack = (): void => {
      if (isCounted) takeBack();
      isCounted = false;
    };
    // Compared in whole numbers: a caller who waited to the millisecond is let through.
    if (previous * leftMs <= (limit - current) * windowMs) {
      return { allowed: true, used: Math.ceil(current + overlap), resetMs: leftMs, giveBack };
    }
    giveBack();
    // Until one more hit is allowed, if no other comes. While the running window has room for it, that is when so little of the
    // window before overlaps that its hits leave the room. Else the running window has to end, and then so much of the next to
    // pass that its hits, which are then those of the window before, leave room for one.
    const counted = Math.min(current - 1, limit);
    const room = limit - 1 - counted;
    const resetMs =
      room >= 0
        ? leftMs - Math.floor((room * windowMs) / previous)
        : leftMs + windowMs - Math.floor(((limit - 1) * windowMs) / counted);
    return { allowed: false, used: rate.limit, resetMs, giveBack };
  }

  /** Whether the store that all replicas share answers; null where a process counts alone by its settings. */
  storeAnswers(): Promise<boolean> | null {
    if (!this.redis) return null;
    return this.redis.ping().then(
      () => true,
      () => false,
    );
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /** The insurance of the library does not say which store counted, and so neither what the limit is nor where to take back. */
  private async count(key: string, rate: Rate, index: number): Promise<Counted> {
    const { redis, shared, local, replicas } = this;
    const inProcess = async (name: string): Promise<number> => local.get(name);
    if (!redis || !shared) return countIn(local, inProcess, key, rate, index);
    // The library reads in a transaction of four commands, which costs three times as much as the hit itself.
    const inRedis = async (name: string): Promise<number> => Number(await redis.get(shared.getKey(name)));
    if (performance.now() >= this.askAgainAt) {
      try {
        return await countIn(shared, inRedis, key, rate, index);
      } catch {
        this.askAgainAt = performance.now() + PAUSE_MS;
      }
    }
    this.degradedTotal += 1;
    return countIn(local, inProcess, key, scaled(rate, 1 / replicas), index);
  }
}

async function countIn(
  store: LocalCounts | RateLimiterRedis,
  read: (name: string) => Promise<number>,
  key: string,
  { limit, windowSeconds }: Rate,
  index: number,
): Promise<Counted> {
  // Another length of window is another window, should the settings change.
  const nameOf = (window: number): string => `${windowSeconds}:${key}:${window}`;
  // A window is read until the one after it ends.
  const life = { customDuration: 2 * windowSeconds };
  const [{ consumedPoints: current }, previous] = await Promise.all([
    store.penalty(nameOf(index), 1, life),
    read(nameOf(index - 1)),
  ]);
  const takeBack = (): void => void store.reward(nameOf(index), 1, life).catch(() => undefined);
  return { current, previous: Math.max(0, previous), limit, takeBack };
}

/** Of one window each; twice as many at most are in memory, some 8 MB. */
const MAX_KEYS = 25_000;

/**
 * Counts of this process. Those that were not hit for longest are forgotten where there are too many, as an attacker with many
 * addresses makes them. The store of the library sets a timer for each key, which costs a new caller 10 to 30 us in place of 1.
 */
class LocalCounts {
  private young = new Map<string, number>();
  private old = new Map<string, number>();

  get(name: string): number {
    return this.young.get(name) ?? this.old.get(name) ?? 0;
  }

  async penalty(name: string, points: number, _life: object): Promise<{ consumedPoints: number }> {
    const consumedPoints = this.get(name) + points;
    if (this.young.size >= MAX_KEYS) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(name, consumedPoints);
    return { consumedPoints };
  }

  async reward(name: string, points: number, life: object): Promise<void> {
    if (this.get(name) > 0) await this.penalty(name, -points, life);
  }
}
