import { startRedis, type RunningRedis } from '@evenkeel/services';
import { eventually } from '../testing';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { LocalWindows } from './local-windows';
import { describeRateWindows } from './rate-windows.fixture';
import { connectRedis, RedisWindows } from './redis-windows';

interface Hit {
  /** Milliseconds since the hit before it; less than none on a clock that goes back. */
  pause: number;
  key: string;
  limit: number;
  act: 'take' | 'look' | 'giveBack';
}

let server: RunningRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = await connectPatiently();
}, 120_000);
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => redis.flushall());

/** The suite of shared-windows asserts how long a request may wait; here a busy machine may take longer. */
async function connectPatiently(): Promise<Redis> {
  const connected = await connectRedis(server.url);
  connected.options.commandTimeout = 10_000;
  await eventually(() => connected.ping(), { withinMs: 10_000 });
  return connected;
}

describeRateWindows('windows in Redis', (nowMs) => new RedisWindows(redis, nowMs));

describe('windows in Redis', () => {
  const rate = { limit: 3, windowSeconds: 60 };

  it('are the same for every replica, by the clock of Redis', async () => {
    const other = await connectPatiently();
    const [one, two] = [new RedisWindows(redis), new RedisWindows(other)];
    const statuses = [];
    for (const windows of [one, two, one, two]) statuses.push(await windows.take('a', rate));
    expect(statuses.map(({ allowed, used }) => [allowed, used])).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
      [false, 3],
    ]);
    expect(statuses[0]!.resetMs).toBe(60_000);
    other.disconnect();
  });

  it('go away by themselves', async () => {
    const begun = performance.now();
    await new RedisWindows(redis).take('a', rate);
    const [key] = await redis.keys('*');
    expect(key).toBe('rate:60:a');
    const leftMs = await redis.pttl(key!);
    expect(leftMs + performance.now() - begun).toBeGreaterThan(59_900);
    expect(leftMs).toBeLessThanOrEqual(60_000);
  });

  it('go away with their last hit', async () => {
    const windows = new RedisWindows(redis);
    await windows.take('a', rate);
    await windows.giveBack('a', rate);
    expect(await redis.keys('*')).toEqual([]);
  });

  it('are not made by a look or a refusal', async () => {
    const windows = new RedisWindows(redis);
    await windows.look('a', rate);
    expect(await redis.keys('*')).toEqual([]);
  });

  it('hold many hits in one turn apart, in order', async () => {
    const windows = new RedisWindows(redis);
    const statuses = await Promise.all(Array.from({ length: 600 }, (_, hit) => windows.take(`key ${hit % 200}`, rate)));
    expect(statuses.map(({ used }) => used)).toEqual(
      Array.from({ length: 600 }, (_, hit) => 1 + Math.floor(hit / 200)),
    );
  });

  /** The refused hit is in a later tenth of the window than the one that is counted after it, on a clock that goes back. */
  const BACK_AFTER_A_REFUSAL: Hit[] = [
    { pause: 0, key: 'a', limit: 1, act: 'take' },
    { pause: 4_000, key: 'a', limit: 1, act: 'take' },
    { pause: -1, key: 'a', limit: 2, act: 'take' },
    { pause: 1_001, key: 'a', limit: 1, act: 'take' },
  ];

  /** The look finds that the hit is forgotten; a millisecond before that it was not. */
  const BACK_AFTER_A_LOOK: Hit[] = [
    { pause: 0, key: 'a', limit: 1, act: 'take' },
    { pause: 5_000, key: 'a', limit: 1, act: 'look' },
    { pause: -1, key: 'a', limit: 1, act: 'take' },
  ];

  it('count as those in process do, on any schedule', async () => {
    const pauses = fc.oneof(fc.nat(300), fc.constant(0), fc.integer({ min: -500, max: 12_000 }));
    const hits: fc.Arbitrary<Hit> = fc.record({
      pause: pauses,
      key: fc.constantFrom('a', 'b'),
      limit: fc.integer({ min: 1, max: 6 }),
      act: fc.constantFrom('take', 'take', 'look', 'giveBack'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(hits, { maxLength: 60 }), async (schedule) => {
        await redis.flushall();
        let nowMs = Date.UTC(2026, 0, 31, 12);
        const local = new LocalWindows(() => nowMs);
        const shared = new RedisWindows(redis, () => nowMs);
        for (const { pause, key, limit, act } of schedule) {
          nowMs += pause;
          const of = { limit, windowSeconds: 5 };
          if (act !== 'giveBack') expect(await shared[act](key, of)).toEqual(await local[act](key, of));
          else {
            local.giveBack(key, of);
            await shared.giveBack(key, of);
          }
        }
      }),
      { examples: [[BACK_AFTER_A_REFUSAL], [BACK_AFTER_A_LOOK]] },
    );
  });
});
