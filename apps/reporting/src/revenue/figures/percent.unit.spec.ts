import fc from 'fast-check';
import { percentOf } from './percent';

describe('percentOf', () => {
  it.each([
    [45_466_800, 45_830_000, 99.21],
    [2_291_600, 2_310_000, 99.2],
    [210_745_600, 212_470_000, 99.19],
    [20_600_000, 45_830_000, 44.95],
    [0, 5, 0],
    [1, 20_000, 0.01],
    [1, 20_001, 0],
    [-1, 20_000, -0.01],
    [-1, 20_001, 0],
    [-400, 30_000, -1.33],
    [-50_000, 10_000, -500],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 100],
    [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 100],
  ])('%d of %d is %d %%', (part, whole, percent) => expect(percentOf(part, whole)).toBe(percent));

  it('is never half a hundredth off', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1 }), (part, whole) => {
        const hundredths = BigInt(Math.round(percentOf(part, whole) * 100));
        const rest = BigInt(part) * 10_000n - hundredths * BigInt(whole);
        expect((rest < 0n ? -rest : rest) * 2n <= BigInt(whole)).toBe(true);
      }),
    );
  });
});
