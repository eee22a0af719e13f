import { SubscriptionChanged, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope, Projection } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Own copy of what billing says of every user. */
export const ENTITLEMENTS_PROJECTION: Projection = {
  subscription: 'accounts',
  stream: SUBSCRIPTIONS_STREAM,
  tables: ['entitlements'],
  oldestRow: '(SELECT min(changed_at) FROM entitlements)',
};

// Each event holds the whole state, so the greatest version wins, in whatever order they come. That somebody ever
// had access holds whatever the version: an older event that comes late still says so. Billing ends what somebody has who
// deleted their account, which may take long: nothing is kept of them then. The lock has a deletion wait for its turn.
const APPLY = `
  WITH person AS (SELECT id FROM users WHERE id = ANY ($1) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE)
  INSERT INTO entitlements AS e (user_id, version, access_until, ever_premium, changed_at)
  SELECT DISTINCT ON (user_id) user_id, version, access_until,
    bool_or(access_until IS NOT NULL) OVER (PARTITION BY user_id), changed_at
  FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[])
    AS event (user_id, version, access_until, changed_at) JOIN person ON person.id = user_id
  ORDER BY user_id, version DESC
  ON CONFLICT (user_id) DO UPDATE SET
    version = greatest(e.version, excluded.version),
    access_until = CASE WHEN excluded.version > e.version THEN excluded.access_until ELSE e.access_until END,
    changed_at = CASE WHEN excluded.version > e.version THEN excluded.changed_at ELSE e.changed_at END,
    ever_premium = e.ever_premium OR excluded.ever_premium`;

/** Keeps until when each user has access. No event needs another one, the clock or a setting. */
@Injectable()
export class ProjectEntitlements implements EventBatchConsumer {
  readonly name = 'accounts.project-entitlements';
  readonly events = [SubscriptionChanged];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    const states = events.map(({ data }) => data as SubscriptionChanged);
    await tx.query(APPLY, [
      states.map(({ userId }) => userId),
      states.map(({ version }) => version),
      states.map(accessUntilOf),
      states.map(({ changedAt }) => changedAt),
    ]);
  }
}

/** The latest end of everything that gives access, as PostgreSQL reads it; null when nothing does. */
function accessUntilOf({ subscriptions, grants }: SubscriptionChanged): string | null {
  if (grants.some(({ until }) => until === null)) return 'infinity';
  const ends = [...subscriptions.map(({ accessUntil }) => accessUntil), ...grants.map(({ until }) => until)];
  const latest = Math.max(...ends.map((end) => (end === null ? -Infinity : Date.parse(end))));
  return latest === -Infinity ? null : new Date(latest).toISOString();
}
