import { PAID_ENDPOINTS, REBATE_TIERS, type RebateEarned, type RebateTierName } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { Answer } from './answer';

export const REDEEM_HEADER = 'X-Agent-Credit';

export interface EarnedCredit {
  token: string | null;
  faceMicros: number;
  expiresAt: Date | null;
  tier: RebateTierName;
  accruedAfterMicros: number;
}

/** The member `rebate_earned` of an answer (spec-decisions 3.7). */
export function rebateEarned({ token, faceMicros, expiresAt, tier, accruedAfterMicros }: EarnedCredit): RebateEarned {
  return {
    credit_token: token,
    face_value: usdAmount(faceMicros),
    redeem_header: REDEEM_HEADER,
    redeemable_on: PAID_ENDPOINTS.map(({ path }) => path),
    single_use: true,
    expires_at: expiresAt?.toISOString() ?? null,
    tier,
    rate: REBATE_TIERS.find((one) => one.tier === tier)!.ratePercent / 100,
    accrued_after: usdAmount(accruedAfterMicros),
  };
}

/**
 * An answer for a repeat that does not show the key of the first request: its payment header may have been rebuilt from
 * public chain data.
 */
export function withoutToken(answer: Answer): Answer {
  if (!answer.rebate) return answer;
  const rebate = { ...answer.rebate, credit_token: null, delivered: true as const };
  return { ...answer, rebate, receipt: answer.deliveredReceipt };
}
