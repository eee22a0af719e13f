export const TIERS = ['FREE', 'PREMIUM'] as const;
export type Tier = (typeof TIERS)[number];

/** The limits of a tier; null is without limit. */
export interface TierLimits {
  maxHabits: number | null;
  analysesPerMonth: number | null;
  insightHistory: number | null;
  habitPlans: boolean;
  moodCorrelation: boolean;
  fullInsightHistory: boolean;
}

/** The one list of what people get on each tier. */
export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  FREE: {
    maxHabits: 3,
    analysesPerMonth: 5,
    insightHistory: 5,
    habitPlans: false,
    moodCorrelation: false,
    fullInsightHistory: false,
  },
  PREMIUM: {
    maxHabits: null,
    analysesPerMonth: null,
    insightHistory: null,
    habitPlans: true,
    moodCorrelation: true,
    fullInsightHistory: true,
  },
};

export const PLAN_CODES = ['free', 'premium_monthly', 'premium_yearly'] as const;
export type PlanCode = (typeof PLAN_CODES)[number];
export const PAID_PLAN_CODES = ['premium_monthly', 'premium_yearly'] as const;
export type PaidPlanCode = (typeof PAID_PLAN_CODES)[number];

export const PLAN_INTERVALS = ['month', 'year'] as const;
export type PlanInterval = (typeof PLAN_INTERVALS)[number];

/** A plan without its price. */
interface Plan {
  name: string;
  tier: Tier;
  /** Null: nothing is ever due. */
  interval: PlanInterval | null;
}

/** Every plan, in the order in which people see them. */
export const PLANS: Readonly<Record<PlanCode, Plan>> = {
  free: { name: 'Free', tier: 'FREE', interval: null },
  premium_monthly: { name: 'Premium (monthly)', tier: 'PREMIUM', interval: 'month' },
  premium_yearly: { name: 'Premium (yearly)', tier: 'PREMIUM', interval: 'year' },
};

/** The features of a tier, by their names in the catalogue of plans. */
export function featuresOf(tier: Tier): string[] {
  const limits = TIER_LIMITS[tier];
  return [
    ...(limits.maxHabits === null ? ['unlimited_habits'] : []),
    ...(limits.analysesPerMonth === null ? ['unlimited_analyses'] : []),
    ...(limits.moodCorrelation ? ['mood_correlation'] : []),
    ...(limits.habitPlans ? ['habit_plans'] : []),
    ...(limits.fullInsightHistory ? ['full_insight_history'] : []),
  ];
}

/** Where refusals send people who want more. */
export const UPGRADE_PATHS = { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' } as const;
