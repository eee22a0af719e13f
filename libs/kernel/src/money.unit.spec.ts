import fc from 'fast-check';
import { readMicros, usdAmount } from './money';

it.each([
  [0, 0, '0.000000'],
  [45_830_000, 45.83, '45.830000'],
  [5_000, 0.01, '0.005000'],
  [4_999, 0, '0.004999'],
  [-5_000, -0.01, '-0.005000'],
  [-4_999, 0, '-0.004999'],
  [Number.MAX_SAFE_INTEGER, 9_007_199_254.74, '9007199254.740991'],
])('%i micro-USD', (micros, usd, usd_exact) => expect(usdAmount(micros)).toEqual({ usd, usd_exact }));

it('every micro-USD is in the exact form', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (micros) => {
      expect(BigInt(usdAmount(micros).usd_exact.replace('.', ''))).toBe(BigInt(micros));
    }),
  );
});

it.each([0.5, NaN, 2 ** 53])('refuses %p', (micros) => expect(() => usdAmount(micros)).toThrow(RangeError));

it('reads a bigint of the database, and refuses one that a number cannot hold', () => {
  expect(readMicros('-9007199254740991')).toBe(-9_007_199_254_740_991);
  expect(() => readMicros('9007199254740993')).toThrow(RangeError);
});
