import { TIER_LIMITS } from '@evenkeel/contracts';

const EVER_PREMIUM = `coalesce((SELECT e.ever_premium FROM entitlements e WHERE e.user_id = row.user_id), false)`;

/**
 * Views for auditors, with names that stay the same when tables change. The WITH in each makes it read-only:
 * PostgreSQL refuses writes through such a view.
 */
export const AUDIT_VIEWS = {
  users: `
    WITH row AS (SELECT id AS user_id, email_key, deleted_at FROM users)
    SELECT user_id AS id, email_key, ${EVER_PREMIUM} AS ever_premium, deleted_at FROM row`,
  habits: `
    WITH row AS (SELECT * FROM habits) SELECT user_id, id, archived_at IS NOT NULL AS archived FROM row`,
  usage: `
    WITH row AS (SELECT * FROM usage_months)
    SELECT user_id, period, used, CASE WHEN ${EVER_PREMIUM} THEN NULL ELSE ${TIER_LIMITS.FREE.analysesPerMonth} END AS quota
    FROM row`,
  usage_events: `
    WITH row AS (SELECT * FROM outbox WHERE type = 'usage.metered')
    SELECT id, (payload->>'userId')::uuid AS user_id, payload->>'period' AS period, (payload->>'used')::integer AS used
    FROM row`,
  sessions: `WITH row AS (SELECT * FROM sessions) SELECT id, user_id, revoked_at, expires_at FROM row`,
  refresh_tokens: `
    WITH row AS (SELECT * FROM refresh_tokens)
    SELECT id, session_id AS family, parent_id, used_at, revoked_at, expires_at FROM row`,
  entitlements: `
    WITH row AS (SELECT * FROM entitlements)
    SELECT user_id, CASE WHEN access_until > now() THEN 'PREMIUM' ELSE 'FREE' END AS tier, access_until FROM row`,
  outbox: `
    WITH row AS (SELECT * FROM outbox)
    SELECT seq, id, aggregate, aggregate_seq, type, created_at, published_at, attempts FROM row`,
  inbox: `WITH row AS (SELECT * FROM inbox) SELECT message_id, consumer, received_at FROM row`,
  positions: `WITH row AS (SELECT * FROM inbox_positions) SELECT consumer, aggregate, last_seq FROM row`,
  parked: `
    WITH row AS (SELECT * FROM parked)
    SELECT consumer, aggregate, aggregate_seq, message_id, reason, parked_at FROM row`,
} as const;
