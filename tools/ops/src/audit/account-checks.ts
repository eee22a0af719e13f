import { TIER_LIMITS } from '@evenkeel/contracts';
import type { PromiseCheck } from './promise-checks';

/** Promise P6 and the rules of sign-in, over the views of accounts. */
export const ACCOUNT_CHECKS: readonly PromiseCheck[] = [
  {
    promise: 'P6',
    reads: { users: ['id', 'ever_premium'], habits: ['user_id', 'archived'] },
    sql: `
      SELECT 'somebody without Premium has more active habits than their plan allows' AS what,
        jsonb_build_object('user_id', u.id, 'habits', count(*)) AS row
      FROM audit.users u JOIN audit.habits h ON h.user_id = u.id AND NOT h.archived
      WHERE NOT u.ever_premium GROUP BY u.id HAVING count(*) > ${TIER_LIMITS.FREE.maxHabits}`,
  },
  {
    promise: 'P6',
    reads: { usage: ['user_id', 'period', 'used', 'quota'], usage_events: ['user_id', 'period', 'used'] },
    sql: `
      SELECT 'a quota is passed' AS what, to_jsonb(u) AS row FROM audit.usage u WHERE used > quota
      UNION ALL
      SELECT 'a counter is not what its events say', jsonb_build_object('usage', to_jsonb(u), 'events', e.events, 'last', e.last)
      FROM audit.usage u
      FULL JOIN (
        SELECT user_id, period, count(*) AS events, max(used) AS last FROM audit.usage_events GROUP BY user_id, period
      ) e USING (user_id, period)
      -- The row of a deleted account is gone; what was announced of it stays.
      WHERE (u.used IS NOT NULL OR EXISTS (SELECT FROM audit.users d WHERE d.id = user_id AND d.deleted_at IS NULL))
        AND (coalesce(u.used, 0) <> coalesce(e.events, 0) OR coalesce(u.used, 0) <> coalesce(e.last, 0))`,
  },
  {
    promise: 'P6',
    reads: { users: ['id', 'email_key'] },
    sql: `
      SELECT 'two accounts have one address' AS what, jsonb_build_object('accounts', jsonb_agg(id)) AS row
      FROM audit.users WHERE email_key IS NOT NULL GROUP BY email_key HAVING count(*) > 1`,
  },
  {
    promise: 'P6',
    reads: { refresh_tokens: ['family', 'used_at', 'revoked_at'], sessions: ['id', 'revoked_at'] },
    sql: `
      SELECT 'a family has more than one live refresh token' AS what, jsonb_build_object('family', family) AS row
      FROM audit.refresh_tokens WHERE used_at IS NULL AND revoked_at IS NULL GROUP BY family HAVING count(*) > 1
      UNION ALL
      SELECT 'a used refresh token has more than one successor', jsonb_build_object('parent', parent_id)
      FROM audit.refresh_tokens WHERE parent_id IS NOT NULL GROUP BY parent_id HAVING count(*) > 1`,
  },
];
