import { TIER_LIMITS, type Tier, type TierLimits } from '@evenkeel/contracts';

/**
 * The tier of a user at an instant: read from stored rows and the clock, never from a token.
 * @param accessUntil end of the access that billing gives; null without any
 */
export function tierAt(accessUntil: Date | null, now: Date): Tier {
  return accessUntil !== null && accessUntil > now ? 'PREMIUM' : 'FREE';
}

export function limitsAt(accessUntil: Date | null, now: Date): TierLimits {
  return TIER_LIMITS[tierAt(accessUntil, now)];
}
