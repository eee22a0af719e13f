import { ManualClock } from '@evenkeel/kernel';
import type { Rate } from '../config';
import type { LimitStatus } from './rate-windows.port';

const noonMs = Date.UTC(2026, 0, 31, 12);

/** The common methods of both adapters. */
interface Windows {
  take(key: string, rate: Rate): Promise<LimitStatus>;
  look(key: string, rate: Rate): Promise<LimitStatus>;
  giveBack(key: string, rate: Rate): void | Promise<void>;
}

/** Five hits in ten seconds. */
const rate: Rate = { limit: 5, windowSeconds: 10 };
const times = async (count: number, act: () => Promise<LimitStatus>): Promise<LimitStatus[]> => {
  const statuses: LimitStatus[] = [];
  for (let number = 0; number < count; number++) statuses.push(await act());
  return statuses;
};
const allowedOf = (statuses: LimitStatus[]) => statuses.filter(({ allowed }) => allowed).length;

/** The contract of every adapter, on a clock that the test moves. */
export function describeRateWindows(name: string, open: (nowMs: () => number) => Windows): void {
  describe(name, () => {
    let clock: ManualClock;
    let windows: Windows;
    beforeEach(() => {
      clock = new ManualClock(new Date(noonMs));
      windows = open(() => clock.now().getTime());
    });
    const take = (key = 'a', of = rate) => windows.take(key, of);

    it('counts to the limit and refuses from there on', async () => {
      const statuses = await times(7, take);
      expect(statuses.map(({ allowed, used }) => [allowed, used])).toEqual([
        [true, 1],
        [true, 2],
        [true, 3],
        [true, 4],
        [true, 5],
        [false, 5],
        [false, 5],
      ]);
      expect(new Set(statuses.map(({ resetMs }) => resetMs))).toEqual(new Set([10_000]));
    });

    it('counts each key for itself', async () => {
      await times(5, take);
      expect((await take('b')).used).toBe(1);
      expect((await take('a')).allowed).toBe(false);
    });

    it('looks without counting', async () => {
      expect(await windows.look('a', rate)).toEqual({ allowed: true, used: 0, resetMs: 10_000 });
      await times(5, take);
      const looks = await times(3, () => windows.look('a', rate));
      expect(looks).toEqual(Array(3).fill({ allowed: false, used: 5, resetMs: 10_000 }));
    });

    it('lets through again when a refusal said so, and not before', async () => {
      await times(5, take);
      clock.advanceMs(3_333);
      const { resetMs } = await take();
      expect(resetMs).toBe(6_667);
      clock.advanceMs(resetMs - 1);
      expect((await take()).allowed).toBe(false);
      clock.advanceMs(1);
      expect(allowedOf(await times(7, take))).toBe(5);
    });

    it('forgets hits in the order they came', async () => {
      await times(2, take);
      clock.advanceMs(4_000);
      await times(3, take);
      clock.advanceMs(6_000);
      expect(allowedOf(await times(7, take))).toBe(2);
      clock.advanceMs(4_000);
      expect(allowedOf(await times(7, take))).toBe(3);
    });

    it('does not count a refused hit: who keeps asking is let through in time', async () => {
      await times(5, take);
      let refused = 0;
      for (; !(await take()).allowed; refused++) clock.advanceMs(500);
      expect(refused).toBe(20);
    });

    it('begins again after a rest', async () => {
      await times(3, take);
      clock.advanceMs(25_123);
      expect(await take()).toEqual({ allowed: true, used: 1, resetMs: 10_000 });
    });

    it('does not mind a clock that goes back', async () => {
      clock.advanceMs(2_500);
      await times(3, take);
      clock.advanceMs(-60_000);
      expect(allowedOf(await times(4, take))).toBe(2);
      expect((await take()).resetMs).toBeLessThanOrEqual(10_000);
    });

    it('decides each hit by the limit that comes with it', async () => {
      await times(5, take);
      const higher = { ...rate, limit: 10 };
      expect(await take('a', higher)).toMatchObject({ allowed: true, used: 6 });
      expect((await take()).allowed).toBe(false);
    });

    it('keeps windows of different lengths apart', async () => {
      await times(5, take);
      expect((await take('a', { limit: 5, windowSeconds: 60 })).used).toBe(1);
    });

    it('takes a hit back: the next one has its place', async () => {
      await times(5, take);
      void windows.giveBack('a', rate);
      expect((await times(2, take)).map(({ allowed, used }) => [allowed, used])).toEqual([
        [true, 5],
        [false, 5],
      ]);
    });

    it('takes back the newest hit: the older ones are forgotten when they would have been', async () => {
      await times(2, take);
      clock.advanceMs(4_000);
      await times(3, take);
      for (let hit = 0; hit < 3; hit++) void windows.giveBack('a', rate);
      expect(await windows.look('a', rate)).toEqual({ allowed: true, used: 2, resetMs: 6_000 });
      clock.advanceMs(6_000);
      expect((await windows.look('a', rate)).used).toBe(0);
    });

    it('has nothing to take back in an empty window, nor in a forgotten one', async () => {
      void windows.giveBack('a', rate);
      expect((await take()).used).toBe(1);
      clock.advanceMs(10_000);
      void windows.giveBack('a', rate);
      expect((await take()).used).toBe(1);
    });

    it('never refuses who has every hit taken back', async () => {
      for (let hit = 0; hit < 40; hit++) {
        expect((await take()).allowed).toBe(true);
        clock.advanceMs(170);
        void windows.giveBack('a', rate);
      }
      expect((await take()).used).toBe(1);
    });

    it('lets exactly the limit through of forty at once', async () => {
      expect(allowedOf(await Promise.all(Array.from({ length: 40 }, async () => take())))).toBe(5);
    });
  });
}
