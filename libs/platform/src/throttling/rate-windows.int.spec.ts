import { Clock, ManualClock, SystemClock } from '@evenkeel/kernel';
import { startRedis, type RunningRedis } from '@evenkeel/services';
import { freePort } from '@evenkeel/services/free-port';
import { Redis } from 'ioredis';
import type { Rate } from '../config';
import { eventually } from '../testing';
import type { LimitStatus, RateWindows } from './rate-windows';
import { openWindows } from './throttling.module';

/** All of a flood on a machine that has other work. Redis is waited for 100 ms, and by one hit. */
const ANSWER_MS = 3_000;

let redis: RunningRedis;
let reader: Redis;
const opened: RateWindows[] = [];
beforeAll(async () => {
  redis = await startRedis();
  reader = new Redis(redis.url);
  reader.on('error', () => undefined);
}, 120_000);
afterEach(() => opened.splice(0).forEach((windows) => windows.onApplicationShutdown()));
afterAll(async () => {
  reader.disconnect();
  await redis.stop();
});

async function open(clock: Clock, url?: string, replicas = 1): Promise<RateWindows> {
  const windows = await openWindows({ REDIS_URL: url, REPLICA_COUNT: replicas }, clock);
  opened.push(windows);
  return windows;
}

/** For what has to do with no outage: a busy machine may take longer than a request may wait. */
function patient(windows: RateWindows): RateWindows {
  waitAtMost(10_000, windows);
  return windows;
}

/** After the hits that are taken back: a command that its connection leaves behind keeps the process until its timeout. */
async function impatient(...all: RateWindows[]): Promise<void> {
  for (const windows of all) {
    await windows.storeAnswers();
    waitAtMost(100, windows);
  }
}

function waitAtMost(ms: number, windows: RateWindows): void {
  const { redis } = windows as unknown as { redis: Redis | null };
  if (redis) Object.assign(redis.options, { commandTimeout: ms, socketTimeout: ms });
}

const rate: Rate = { limit: 5, windowSeconds: 10 };
const times = <T>(count: number, act: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));
const countsTogether = (windows: RateWindows) =>
  eventually(
    async () => {
      const before = windows.degradedTotal;
      await windows.take('another', { limit: 1_000, windowSeconds: 60 });
      expect([windows.degradedTotal, await windows.storeAnswers()]).toEqual([before, true]);
    },
    { withinMs: 30_000 },
  );
const allowedOf = (statuses: LimitStatus[]) => statuses.filter(({ allowed }) => allowed).length;

describe.each([
  ['in process', () => undefined],
  ['in Redis', () => redis.url],
])('windows %s', (_, url) => {
  let clock: ManualClock;
  let windows: RateWindows;
  beforeEach(async () => {
    clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
    await reader.flushall();
    windows = patient(await open(clock, url()));
  });
  afterEach(async () => {
    await impatient(windows);
    expect(windows.degradedTotal).toBe(0);
  });
  const take = (key: string | number = 'a', of = rate) => windows.take(String(key), of);
  const hit = (count: number) => times(count, () => take('a'));

  it('let exactly the limit through of forty at once, and of those after them none', async () => {
    const statuses = await hit(40);
    expect(allowedOf(statuses)).toBe(5);
    expect(new Set(statuses.map(({ resetMs }) => resetMs))).toEqual(new Set([10_000, 12_000]));
    expect(await take()).toMatchObject({ allowed: false, used: 5, resetMs: 12_000 });
  });

  it('count hits of the window before by the part that still overlaps', async () => {
    clock.advanceMs(9_999);
    expect(allowedOf(await hit(7))).toBe(5);
    clock.advanceMs(1);
    expect(allowedOf(await hit(7))).toBe(0);
    clock.advanceMs(4_000);
    expect((await hit(4)).map(({ allowed, used }) => [allowed, used])).toEqual([
      [true, 4],
      [true, 5],
      [false, 5],
      [false, 5],
    ]);
    clock.advanceMs(16_000);
    expect(await take()).toMatchObject({ allowed: true, used: 1, resetMs: 10_000 });
  });

  /** Hits in the window before, in the running one, and the time of the refused hit. */
  it.each([
    [0, 5, 3_333],
    [5, 0, 1_999],
    [4, 3, 2_500],
    [5, 2, 1],
  ])('after %d and %d hits say truly when a refused one may come again', async (before, running, atMs) => {
    clock.advanceMs(5_000);
    await hit(before);
    clock.advanceMs(5_000 + atMs);
    await times(running, () => take('a', { ...rate, limit: 99 }));
    const { allowed, resetMs } = await take();
    expect(allowed).toBe(false);
    clock.advanceMs(resetMs - 1);
    expect((await take()).allowed).toBe(false);
    clock.advanceMs(1);
    expect((await take()).allowed).toBe(true);
  });

  it('take a hit back once, from the window that counted it', async () => {
    const [first] = await hit(5);
    first!.giveBack();
    first!.giveBack();
    expect((await hit(2)).map(({ allowed }) => allowed)).toEqual([true, false]);

    clock.advanceMs(30_000);
    const [late, ...others] = await hit(5);
    clock.advanceMs(10_000);
    late!.giveBack();
    for (const { giveBack } of others.slice(2)) giveBack();
    // Two hits are left of the window before, and none is owed to the running one.
    expect(allowedOf(await hit(7))).toBe(3);
    clock.advanceMs(10_000);
    expect((await take()).used).toBe(4);
  });

  it('keep keys and lengths apart, and decide each hit by the limit that comes with it', async () => {
    await hit(5);
    expect((await take('b')).used).toBe(1);
    expect((await take('a', { ...rate, windowSeconds: 60 })).used).toBe(1);
    expect(await take('a', { ...rate, limit: 10 })).toMatchObject({ allowed: true, used: 6 });
    expect((await take()).allowed).toBe(false);
  });
});

it('windows in process keep a bounded number of keys, the newest', async () => {
  const windows = await open(new ManualClock(new Date(0)));
  await times(75_001, (key) => windows.take(`key ${key}`, rate));
  expect((await windows.take('key 75000', rate)).used).toBe(2);
  expect((await windows.take('key 0', rate)).used).toBe(1);
});

it('windows in Redis go away by themselves', async () => {
  await reader.flushall();
  const windows = await open(new SystemClock(), redis.url);
  await windows.take('a', rate);
  const keys = await reader.keys('*');
  expect(keys).toEqual([expect.stringMatching(/^rate:10:a:\d+$/)]);
  expect(await reader.pttl(keys[0]!)).toBeGreaterThan(10_000);
  expect(await reader.pttl(keys[0]!)).toBeLessThanOrEqual(20_000);
});

describe.each<[string, () => Promise<void> | void]>([
  ['killed', () => redis.kill()],
  ['frozen', () => redis.freeze()],
])('Redis %s', (_, breakRedis) => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const half = { limit: 100, windowSeconds: 60 };
  beforeEach(() => reader.flushall());
  afterEach(async () => {
    redis.thaw();
    await redis.restart();
    await eventually(() => reader.ping(), { withinMs: 30_000 });
  });

  /** Two processes that share a limit while Redis answers. */
  const flood = async (count: number, ...replicas: RateWindows[]) => {
    const begun = performance.now();
    let slowestMs = 0;
    const statuses = await times(count, async (index) => {
      const status = await replicas[index % replicas.length]!.take('a', half);
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      return status;
    });
    return { allowed: allowedOf(statuses), slowestMs, statuses };
  };

  it('leaves each process its part of the limit, holds no hit, and is counted', async () => {
    const [one, two] = [await open(clock, redis.url, 2), await open(clock, redis.url, 2)];
    await breakRedis();
    const { allowed, slowestMs, statuses } = await flood(120, one);
    expect(allowed).toBe(50);
    expect(slowestMs).toBeLessThan(ANSWER_MS);
    expect((one as unknown as { redis: Redis }).redis.options.commandTimeout).toBe(100);
    expect((await flood(60, two)).allowed).toBe(50);
    expect([one.degradedTotal, two.degradedTotal]).toEqual([120, 60]);
    expect(await one.storeAnswers()).toBe(false);
    for (const { giveBack } of statuses.filter((status) => status.allowed).slice(0, 20)) giveBack();
    expect((await flood(60, one)).allowed).toBe(20);
  });

  it('and back, empty or not, is used again without a restart', async () => {
    const [one, two] = [await open(clock, redis.url, 2), await open(clock, redis.url, 2)];
    await breakRedis();
    await flood(10, one, two);
    redis.thaw();
    await redis.restart();
    for (const windows of [one, two]) await countsTogether(windows);
    await reader.flushall();
    expect((await flood(150, patient(one), patient(two))).allowed).toBe(100);
    await impatient(one, two);
  });
});

it('a process that finds no Redis starts, counts for itself, and with others when Redis comes', async () => {
  const port = await freePort();
  const windows = await open(new ManualClock(new Date(0)), `redis://127.0.0.1:${port}`, 5);
  expect(allowedOf(await times(8, () => windows.take('a', rate)))).toBe(1);
  await using late = await startRedis({ port });
  expect(late.url).toContain(String(port));
  await countsTogether(windows);
  patient(windows);
  expect(allowedOf(await times(8, () => windows.take('a', rate)))).toBe(5);
  await impatient(windows);
});

it('without Redis in its settings a process has no store to ask', async () => {
  expect((await open(new SystemClock())).storeAnswers()).toBeNull();
});
