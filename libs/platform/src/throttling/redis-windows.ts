import type { Redis, Result } from 'ioredis';
import type { Rate } from '../config';
import type { LimitStatus } from './rate-windows.port';

const PREFIX = 'rate:';
const MAX_BATCH = 128;

interface Waiting {
  key: string;
  settings: [limit: number, windowMs: number, hits: -1 | 0 | 1];
  resolve: (status: LimitStatus) => void;
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

  /** The promise fails when Redis does not answer. */
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

/**
 * `SlidingWindow` in Lua, for several keys in turn: reading, counting and expiry are one step for every replica. The
 * time is that of Redis, which they share; the first argument is for tests, which have a clock of their own. Each key
 * comes with limit, length of window, and hits: 1, 0 for a look, -1 to take the newest one back.
 */
const WINDOW_SCRIPT = `
local SLOTS = 10
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function hit(key, limit, window, hits)
  local slot_ms = window / SLOTS
  local origin, slot, counts, used = now, 0, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0
  local moved = false
  local stored = redis.call('GET', key)
  if stored then
    origin, slot, counts = unpack(cmsgpack.unpack(stored))
    local present = math.max(slot, math.floor((now - origin) / slot_ms))
    for begun = math.max(slot + 1, present - SLOTS + 1), present do counts[begun % SLOTS + 1] = 0 end
    moved, slot = present > slot, present
    for _, count in ipairs(counts) do used = used + count end
    if used == 0 then origin, slot = now, 0 end
  end

  local allowed = used < limit
  if allowed and hits > 0 then
    counts[slot % SLOTS + 1] = counts[slot % SLOTS + 1] + hits
    used = used + hits
    redis.call('SET', key, cmsgpack.pack({ origin, slot, counts }), 'PX', window)
  elseif moved then
    -- On a clock that goes back, later hits count as of this slot, and what is forgotten stays so.
    if used == 0 then redis.call('DEL', key) else redis.call('SET', key, cmsgpack.pack({ origin, slot, counts }), 'KEEPTTL') end
  end

  if hits < 0 and used > 0 then
    local newest = slot
    while counts[newest % SLOTS + 1] == 0 do newest = newest - 1 end
    counts[newest % SLOTS + 1] = counts[newest % SLOTS + 1] - 1
    used = used - 1
    if used == 0 then redis.call('DEL', key) else redis.call('SET', key, cmsgpack.pack({ origin, slot, counts }), 'PX', window) end
  end

  local oldest = math.max(0, slot - SLOTS + 1)
  while oldest < slot and counts[oldest % SLOTS + 1] == 0 do oldest = oldest + 1 end
  return allowed and 1 or 0, used, math.min(window, origin + (oldest + SLOTS) * slot_ms - now)
end

local statuses = {}
for i, key in ipairs(KEYS) do
  local limit, window, hits = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  statuses[3 * i - 2], statuses[3 * i - 1], statuses[3 * i] = hit(key, limit, window, hits)
end
return statuses
`;

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
  // Every command reports its own failure; an error without a listener would end the process.
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
