import { MICROS_PER_USD } from '@evenkeel/kernel';

export const REBATE_TIER_NAMES = ['base', 'tier_1', 'tier_2', 'tier_3'] as const;
export type RebateTierName = (typeof REBATE_TIER_NAMES)[number];

interface RebateTier {
  tier: RebateTierName;
  /** Lifetime spend in settled payments from which the tier holds, the present payment included. */
  fromMicros: number;
  /** Share of each price that is given back, a whole number of per cents: exact for every price. */
  ratePercent: number;
  rateLimitMultiplier: number;
}

/** Lowest tier first. */
export const REBATE_TIERS: readonly RebateTier[] = [
  { tier: 'base', fromMicros: 0, ratePercent: 0, rateLimitMultiplier: 1 },
  { tier: 'tier_1', fromMicros: 10 * MICROS_PER_USD, ratePercent: 5, rateLimitMultiplier: 2 },
  { tier: 'tier_2', fromMicros: 100 * MICROS_PER_USD, ratePercent: 10, rateLimitMultiplier: 5 },
  { tier: 'tier_3', fromMicros: 1_000 * MICROS_PER_USD, ratePercent: 15, rateLimitMultiplier: 10 },
];

/** Face value of a credit: the highest price, so that any credit pays any call. */
export const CREDIT_FACE_MICROS = 100_000;

/**
 * The tier of a wallet.
 * @param settledMicros lifetime spend in settled payments, 0 or more
 */
export function rebateTierAt(settledMicros: number): RebateTier {
  return REBATE_TIERS.findLast(({ fromMicros }) => settledMicros >= fromMicros)!;
}

/**
 * The rebate that a payment adds to its wallet.
 * @returns micro-USD, exact for prices that are multiples of 100 micro-USD, as all of ours are
 */
export function rebateMicros(priceMicros: number, { ratePercent }: RebateTier): number {
  return Math.floor((priceMicros * ratePercent) / 100);
}
