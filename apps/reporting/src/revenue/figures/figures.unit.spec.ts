import fc from 'fast-check';
import { callFigures, NO_TOTALS, percentOf } from './figures';

it('has no margin in per cent without revenue, though credits cost something', () => {
  expect(callFigures({ ...NO_TOTALS, costMicros: 400, creditCalls: 1 }, 0)).toMatchObject({
    net_margin: { usd: 0, usd_exact: '-0.000400' },
    net_margin_pct: null,
  });
});

it.each([
  [45_466_800, 45_830_000, 99.21],
  [1, 20_000, 0.01],
  [1, 20_001, 0],
  [-1, 20_000, -0.01],
  [-1, 20_001, 0],
  [-50_000, 10_000, -500],
  [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 100],
  [0, 0, null],
])('%d of %d is %d %%', (part, whole, percent) => expect(percentOf(part, whole)).toBe(percent));

it('a part in per cent is never half a hundredth off', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1 }), (part, whole) => {
      const hundredths = BigInt(Math.round(percentOf(part, whole)! * 100));
      const rest = BigInt(part) * 10_000n - hundredths * BigInt(whole);
      expect((rest < 0n ? -rest : rest) * 2n <= BigInt(whole)).toBe(true);
    }),
  );
});
