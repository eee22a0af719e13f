import { PAID_ENDPOINTS } from '../agent/paid-endpoints';
import { CREDIT_FACE_MICROS, REBATE_TIERS, rebateMicros, rebateTierAt } from './rebate';

describe('the rebate ladder', () => {
  it.each([
    [0, 'base'],
    [9_999_999, 'base'],
    [10_000_000, 'tier_1'],
    [99_999_999, 'tier_1'],
    [100_000_000, 'tier_2'],
    [999_999_999, 'tier_2'],
    [1_000_000_000, 'tier_3'],
    [Number.MAX_SAFE_INTEGER, 'tier_3'],
  ])('%i settled micro-USD: %s', (settled, tier) => expect(rebateTierAt(settled).tier).toBe(tier));

  it('gives back an exact amount of every price', () => {
    for (const { priceMicros } of PAID_ENDPOINTS) {
      const given = REBATE_TIERS.map((tier) => rebateMicros(priceMicros, tier));
      expect(given).toEqual([0, priceMicros / 20, priceMicros / 10, (priceMicros * 3) / 20]);
      expect(given.every(Number.isSafeInteger)).toBe(true);
    }
  });

  it('has a credit that pays any call', () => {
    expect(CREDIT_FACE_MICROS).toBe(Math.max(...PAID_ENDPOINTS.map(({ priceMicros }) => priceMicros)));
  });
});
