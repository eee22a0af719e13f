import fc from 'fast-check';
import { usdAmount } from './money';

describe('usdAmount', () => {
  it.each([
    [0, 0, '0.000000'],
    [50_000, 0.05, '0.050000'],
    [45_830_000, 45.83, '45.830000'],
    [5_000, 0.01, '0.005000'],
    [4_999, 0, '0.004999'],
    [-5_000, -0.01, '-0.005000'],
    [-4_999, 0, '-0.004999'],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254.74, '9007199254.740991'],
  ])('%i micro-USD', (micros, usd, usd_exact) => {
    expect(usdAmount(micros)).toEqual({ usd, usd_exact });
  });

  it('keeps every micro-USD in the exact form', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        expect(BigInt(usdAmount(micros).usd_exact.replace('.', ''))).toBe(BigInt(micros));
      }),
    );
  });

  it.each([0.5, NaN, Infinity, 2 ** 53])('refuses %p', (micros) => {
    expect(() => usdAmount(micros)).toThrow(RangeError);
  });
});
