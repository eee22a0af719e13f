import type { Redis } from 'ioredis';
import type { Rate } from '../config';
import type { LimitStatus } from './rate-windows.port';

const PREFIX = 'rate:';
const MAX_BATCH = 128;

interface Waiting {
  key: string;
  settings: [limit: number, windowMs: number, hits: -1 | 0 | 1];
  resolve: (standing: LimitStatus) => void;
  reject: (error: unknown) => void;
}

/**
 * Windows that all replicas share. Hits of one turn of the loop go in one command. A promise fails when Redis does not
 * answer in time: see `SharedWindows`.
 */
export class RedisWindows {
  private waiting: Waiting[] = [];

  /** @param nowMs for tests; by default the time is that of Redis */
  constructor(
    private readonly redis: Redis,
    private readonly nowMs?: () => number,
  ) {}

  take(key: string, rate: Rate): Promise<LimitStatus> {
    return this.hit(key, rate, 1);
  }

  look(key: string, rate: Rate): Promise<LimitStatus> {
    return this.hit(key, rate, 0);
  }

  /** @returns for who must know that it failed */
  async giveBack(key: string, rate: Rate): Promise<void> {
    await this.hit(key, rate, -1);
  }

  /** Fails when Redis does not answer. */
  async probe(): Promise<void> {
    await this.redis.ping();
  }

  close(): void {
    this.redis.disconnect();
  }

  private hit(key: string, { limit, windowSeconds }: Rate, hits: -1 | 0 | 1): Promise<LimitStatus> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.sendAll());
      // Another length of window is another window, should the settings change.
      const name = `${PREFIX}${windowSeconds}:${key}`;
      this.waiting.push({ key: name, settings: [limit, windowSeconds * 1_000, hits], resolve, reject });
    });
  }

  private sendAll(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (let from = 0; from < waiting.length; from += MAX_BATCH) void this.send(waiting.slice(from, from + MAX_BATCH));
  }

  private async send(batch: Waiting[]): Promise<void> {
    const keys = batch.map(({ key }) => key);
    const settings = batch.flatMap((hit) => hit.settings);
    try {
      const answer = await this.redis.hitWindows(keys.length, ...keys, this.nowMs?.() ?? '', ...settings);
      batch.forEach(({ resolve }, index) => {
        const [allowed, used, resetMs] = answer.slice(index * 3);
        resolve({ allowed: allowed === 1, used: used!, resetMs: resetMs! });
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
