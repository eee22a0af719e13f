import { callFigures } from './call-figures';
import { NO_TOTALS } from './totals';

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
