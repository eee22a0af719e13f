import fc from 'fast-check';
import { callFigures, NO_TOTALS, percentOf } from './figures';

it('has no margin in per cent without revenue, though credits cost something', () => {
  expect(callFigures({ totals: { ...NO_TOTALS, costMicros: 400, creditCalls: 1 }, payers: 0 })).toMatchObject({
    net_margin: { usd: 0, usd_exact: '-0.000400' },
    net_margin_pct: null,
  });
});

it('a part in per cent is never half a hundredth off', () => {
  expect([percentOf(45_466_800, 45_830_000), percentOf(0, 0)]).toEqual([99.21, null]);
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1 }), (part, whole) => {
      const hundredths = BigInt(Math.round(percentOf(part, whole)! * 100));
      const rest = BigInt(part) * 10_000n - hundredths * BigInt(whole);
      expect((rest < 0n ? -rest : rest) * 2n <= BigInt(whole)).toBe(true);
    }),
  );
});
