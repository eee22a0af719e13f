import { SubscriptionChanged, type SubscriptionState } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';
import { countedVersions } from '../../migrations/audit-views';

const MONTHS_OF_A_YEAR = 12;

const ADD = `
  INSERT INTO subscription_versions (user_id, version, changed_at, plans, active, past_due, trialing,
    scheduled_to_cancel, granted_until, day, mrr_micros, has_paid, movement_micros)
  SELECT *, ("changedAt" AT TIME ZONE 'UTC')::date, 0, false, 0 FROM jsonb_to_recordset($1::jsonb) AS stated (
    "userId" uuid, version integer, "changedAt" timestamptz, plans jsonb, active integer, "pastDue" integer, trialing integer,
    "scheduledToCancel" integer, "grantedUntil" timestamptz)
  ON CONFLICT DO NOTHING`;

const COUNT = `
  WITH ${countedVersions('WHERE user_id = ANY($1::uuid[])')}
  UPDATE subscription_versions v SET day = c.day, mrr_micros = c.mrr_micros, has_paid = c.has_paid,
    movement = c.movement, movement_micros = c.movement_micros
  FROM counted_versions c WHERE v.user_id = c.user_id AND v.version = c.version AND
    (v.day, v.mrr_micros, v.has_paid, v.movement, v.movement_micros)
      IS DISTINCT FROM (c.day, c.mrr_micros, c.has_paid, c.movement, c.movement_micros)`;

/**
 * Stores versions of users and counts what they change, of these users again: so totals are the same in whatever order versions
 * come, and however often.
 */
export async function applyVersions(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => type === SubscriptionChanged.type);
  if (published.length === 0) return;
  const stated = published.map(({ data }) => statedVersion(data as SubscriptionChanged));
  await tx.query(ADD, [JSON.stringify(stated)]);
  await tx.query(COUNT, [[...new Set(stated.map(({ userId }) => userId))]]);
}

/** MRR in micro-USD by plan of every live subscription, 0 for a trial and an empty name where there is no plan; and their numbers. */
function statedVersion({ userId, version, subscriptions, grants, changedAt }: SubscriptionChanged) {
  const live = subscriptions.filter(({ status }) => ['ACTIVE', 'PAST_DUE', 'TRIALING'].includes(status));
  const plans: Record<string, number> = {};
  for (const subscription of live) {
    const plan = subscription.planCode ?? '';
    plans[plan] = (plans[plan] ?? 0) + monthlyMicros(subscription);
  }
  const count = (status: string): number => live.filter((subscription) => subscription.status === status).length;
  return {
    userId,
    version,
    changedAt,
    plans,
    active: count('ACTIVE'),
    pastDue: count('PAST_DUE'),
    trialing: count('TRIALING'),
    scheduledToCancel: live.filter(({ cancelAt }) => cancelAt !== null).length,
    // The latest end, infinity for none.
    grantedUntil:
      grants
        .map(({ until }) => until ?? 'infinity')
        .sort()
        .at(-1) ?? null,
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
