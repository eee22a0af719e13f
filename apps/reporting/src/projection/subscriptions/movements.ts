import type { SubscriptionChanged, SubscriptionState } from '@evenkeel/contracts';

const MONTHS_OF_A_YEAR = 12;

export type MovementKind = 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn';

/** One version of a user's subscriptions. */
export interface StatedVersion {
  userId: string;
  version: number;
  changedAt: string;
  /** MRR in micro-USD by plan, of every live subscription: 0 for a trial; an empty name where there is no plan. */
  plans: Readonly<Record<string, number>>;
  /** Subscriptions with this status. */
  active: number;
  pastDue: number;
  trialing: number;
  /** Of these three, those that will end. */
  scheduledToCancel: number;
  /** The latest end of a grant, `infinity` for none. */
  grantedUntil: string | null;
}

/** The same, with what it changes after the version before it. */
export interface CountedVersion extends StatedVersion {
  /** UTC day that the movement counts on. */
  day: string;
  mrrMicros: number;
  /** In this version or in an earlier one. */
  hasPaid: boolean;
  /** Null where the MRR stays as it is. */
  movement: MovementKind | null;
  /** MRR less that of the version before. */
  movementMicros: number;
}

export function statedVersion(event: SubscriptionChanged): StatedVersion {
  const { userId, version, subscriptions, grants, changedAt } = event;
  const live = subscriptions.filter(({ status }) => ['ACTIVE', 'PAST_DUE', 'TRIALING'].includes(status));
  const plans = new Map<string, number>();
  for (const subscription of live) {
    const plan = subscription.planCode ?? '';
    plans.set(plan, (plans.get(plan) ?? 0) + monthlyMicros(subscription));
  }
  const count = (status: string): number => live.filter((subscription) => subscription.status === status).length;
  return {
    userId,
    version,
    changedAt,
    plans: Object.fromEntries(plans),
    active: count('ACTIVE'),
    pastDue: count('PAST_DUE'),
    trialing: count('TRIALING'),
    scheduledToCancel: live.filter(({ cancelAt }) => cancelAt !== null).length,
    grantedUntil: latestEnd(grants.map(({ until }) => until)),
  };
}

/**
 * The monthly revenue of a subscription, in micro-USD: a year by 12, rounded half away from zero; nothing in a
 * trial and while collection is paused.
 */
function monthlyMicros({ status, interval, recurringMicros, collectionPaused }: SubscriptionState): number {
  if (status === 'TRIALING' || collectionPaused) return 0;
  if (interval !== 'year') return recurringMicros;
  const rest = recurringMicros % MONTHS_OF_A_YEAR;
  return (recurringMicros - rest) / MONTHS_OF_A_YEAR + (rest * 2 >= MONTHS_OF_A_YEAR ? 1 : 0);
}

function latestEnd(ends: readonly (string | null)[]): string | null {
  if (ends.length === 0) return null;
  if (ends.includes(null)) return 'infinity';
  return new Date(Math.max(...ends.map((end) => Date.parse(end!)))).toISOString();
}

/**
 * Counts what each version of one user changes.
 * @param before the version before the first of them, if any
 * @param versions in their order
 */
export function countVersions(
  before: CountedVersion | undefined,
  versions: readonly StatedVersion[],
): CountedVersion[] {
  let last = before;
  return versions.map((version) => (last = countVersion(last, version)));
}

function countVersion(before: CountedVersion | undefined, stated: StatedVersion): CountedVersion {
  const mrrMicros = Object.values(stated.plans).reduce((sum, micros) => sum + micros, 0);
  const { mrrMicros: microsBefore, hasPaid: hadPaid, day: dayBefore } = before ?? NOTHING;
  const day = new Date(stated.changedAt).toISOString().slice(0, 10);
  return {
    ...stated,
    // A version may be about an earlier day than the one before it, which is already counted.
    day: day > dayBefore ? day : dayBefore,
    mrrMicros,
    hasPaid: hadPaid || mrrMicros > 0,
    movement: movementOf(microsBefore, mrrMicros, hadPaid),
    movementMicros: mrrMicros - microsBefore,
  };
}

const NOTHING = { mrrMicros: 0, hasPaid: false, day: '' };

function movementOf(before: number, after: number, hadPaid: boolean): MovementKind | null {
  if (after === before) return null;
  if (before === 0) return hadPaid ? 'reactivation' : 'new';
  if (after === 0) return 'churn';
  return after > before ? 'expansion' : 'contraction';
}
