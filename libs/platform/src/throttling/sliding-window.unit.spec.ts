import fc from 'fast-check';
import { SlidingWindow } from './local-windows';

/** Pauses between hits: mostly short, so that limits are met, sometimes as long as a window and more. */
const pausesMs = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.nat(60) },
    { weight: 1, arbitrary: fc.nat(1_500) },
    { weight: 3, arbitrary: fc.constant(0) },
  ),
  { maxLength: 400 },
);
const limits = fc.integer({ min: 1, max: 40 });
const WINDOW_MS = 1_000;

function admittedAt(pauses: number[], limit: number): { all: number[]; admitted: number[] } {
  const window = new SlidingWindow(WINDOW_MS, 0);
  const admitted: number[] = [];
  const all: number[] = [];
  let nowMs = 0;
  for (const pause of pauses) {
    nowMs += pause;
    all.push(nowMs);
    if (window.take(nowMs, limit).allowed) admitted.push(nowMs);
  }
  return { all, admitted };
}

const within = (times: number[], from: number, lengthMs: number) =>
  times.filter((time) => time >= from && time < from + lengthMs).length;

describe('a sliding window', () => {
  it('never lets more than twice the limit through in any window, nor more than the limit in nine tenths of it', () => {
    fc.assert(
      fc.property(pausesMs, limits, (pauses, limit) => {
        const { admitted } = admittedAt(pauses, limit);
        for (const time of admitted) {
          expect(within(admitted, time, WINDOW_MS)).toBeLessThanOrEqual(2 * limit);
          expect(within(admitted, time, 0.9 * WINDOW_MS)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('refuses no caller who stays within the limit in every window', () => {
    fc.assert(
      fc.property(pausesMs, limits, (pauses, limit) => {
        const { all, admitted } = admittedAt(pauses, limit);
        const refused = all.filter((time) => !admitted.includes(time));
        for (const time of refused)
          expect(within(admitted, time - WINDOW_MS + 1, WINDOW_MS)).toBeGreaterThanOrEqual(limit);
      }),
    );
  });

  it('says truly when a refused one may come again', () => {
    fc.assert(
      fc.property(pausesMs, limits, (pauses, limit) => {
        const window = new SlidingWindow(WINDOW_MS, 0);
        let nowMs = 0;
        for (const pause of pauses) {
          nowMs += pause;
          const { allowed, resetMs } = window.take(nowMs, limit);
          if (allowed) continue;
          expect(resetMs).toBeGreaterThan(0);
          expect(window.look(nowMs + resetMs - 1, limit).allowed).toBe(false);
          expect(window.take((nowMs += resetMs), limit).allowed).toBe(true);
        }
      }),
    );
  });
});
