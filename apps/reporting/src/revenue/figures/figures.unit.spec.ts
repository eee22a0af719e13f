import fc from 'fast-check';
import { callFigures, NO_TOTALS, percentOf } from './figures';

describe('callFigures', () => {
  it('is the worked example of the specification, in its order', () => {
    const totals = {
      grossMicros: 45_830_000,
      costMicros: 363_200,
      paidCalls: 899,
      creditCalls: 9,
      rebateRedeemedMicros: 450_000,
    };
    expect(JSON.stringify(callFigures(totals, 41))).toBe(
      '{"gross_revenue":{"usd":45.83,"usd_exact":"45.830000"},"attributed_cost":{"usd":0.36,"usd_exact":"0.363200"},' +
        '"net_margin":{"usd":45.47,"usd_exact":"45.466800"},"net_margin_pct":99.21,"paid_calls":899,"credit_calls":9,' +
        '"unique_payers":41,"rebate_redeemed":{"usd":0.45,"usd_exact":"0.450000"}}',
    );
  });

  it('has no margin in per cent without revenue, though credits cost something', () => {
    expect(callFigures({ ...NO_TOTALS, costMicros: 400, creditCalls: 1 }, 0)).toMatchObject({
      net_margin: { usd: 0, usd_exact: '-0.000400' },
      net_margin_pct: null,
    });
  });
});

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
