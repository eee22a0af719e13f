import { LocalWindows } from './local-windows';
import { describeRateWindows } from './rate-windows.fixture';

describeRateWindows('windows in process', (nowMs) => new LocalWindows(nowMs));

describe('windows in process', () => {
  const rate = { limit: 1, windowSeconds: 60 };

  it('keep a bounded number of keys, those seen last', async () => {
    const windows = new LocalWindows(() => 0, 100);
    for (let key = 0; key < 1_000; key++) await windows.take(`key ${key}`, rate);
    expect((await windows.look('key 999', rate)).used).toBe(1);
    expect((await windows.look('key 799', rate)).used).toBe(0);
  });

  it('keep a key that is seen again, however many come between', async () => {
    const windows = new LocalWindows(() => 0, 100);
    for (let key = 0; key < 1_000; key++) {
      await windows.take('a', rate);
      await windows.take(`key ${key}`, rate);
    }
    expect((await windows.look('a', rate)).used).toBe(1);
  });

  it('keep a key for the whole of its window, whenever it came', async () => {
    for (let atMs = 0; atMs <= 180_000; atMs += 7_000) {
      let nowMs = 0;
      const windows = new LocalWindows(() => nowMs);
      await windows.take('first', rate);
      nowMs = atMs;
      await windows.take('a', rate);
      for (; nowMs < atMs + 59_999; nowMs += 1_000) await windows.take(`other ${nowMs}`, rate);
      nowMs = atMs + 59_999;
      expect([atMs, (await windows.take('a', rate)).allowed]).toEqual([atMs, false]);
      nowMs = atMs + 60_000;
      expect([atMs, (await windows.take('a', rate)).allowed]).toEqual([atMs, true]);
    }
  });
});
