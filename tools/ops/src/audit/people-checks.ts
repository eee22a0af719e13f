import { TIER_LIMITS } from '@evenkeel/contracts';
import { checksOf } from './promise-checks';

const ACCOUNTS = {
  users: ['ever_premium', 'email_key'],
  habits: ['archived'],
  usage: ['quota'],
  usage_events: ['used'],
  refresh_tokens: ['family'],
};
const BILLING = {
  provider_events: ['applied'],
  subscriptions: ['folded', 'premium_until'],
  customers: ['user_id'],
  grants: ['until'],
  published_access: ['grants'],
  invoices: ['announced'],
};

/** Checks of the promises to people, in the databases of accounts and of billing. */
export const PEOPLE_CHECKS = [
  ...checksOf('P6', ACCOUNTS, {
    'somebody without Premium has more active habits than their plan allows': `
      SELECT u.id AS user_id, count(*) AS habits
      FROM audit.users u JOIN audit.habits h ON h.user_id = u.id AND NOT h.archived
      WHERE NOT u.ever_premium GROUP BY u.id HAVING count(*) > ${TIER_LIMITS.FREE.maxHabits}`,
    'a quota is passed': 'SELECT * FROM audit.usage WHERE used > quota',
    // The row of a deleted account is gone; what was announced of it stays.
    'a counter is not what its events say': `
      SELECT user_id, period, u.used, e.events, e.last
      FROM audit.usage u
      FULL JOIN (
        SELECT user_id, period, count(*) AS events, max(used) AS last FROM audit.usage_events GROUP BY user_id, period
      ) e USING (user_id, period)
      WHERE (u.used IS NOT NULL OR EXISTS (SELECT FROM audit.users d WHERE d.id = user_id AND d.deleted_at IS NULL))
        AND (coalesce(u.used, 0) <> coalesce(e.events, 0) OR coalesce(u.used, 0) <> coalesce(e.last, 0))`,
    'two accounts have one address': `
      SELECT jsonb_agg(id) AS accounts
      FROM audit.users WHERE email_key IS NOT NULL GROUP BY email_key HAVING count(*) > 1`,
    'a family has more than one live refresh token': `
      SELECT family
      FROM audit.refresh_tokens WHERE used_at IS NULL AND revoked_at IS NULL GROUP BY family HAVING count(*) > 1`,
    'a used refresh token has more than one successor': `
      SELECT parent_id AS parent
      FROM audit.refresh_tokens WHERE parent_id IS NOT NULL GROUP BY parent_id HAVING count(*) > 1`,
  }),
  // A subscription is the fold of its events, each of which is in it once; access is a function of its row; nobody pays twice;
  // and that was published.
  ...checksOf('P7', BILLING, {
    'an event of the provider is stored more than once': `
      SELECT id, count(*) AS times FROM audit.provider_events GROUP BY id HAVING count(*) > 1`,
    'a subscription is not the fold of its events': 'SELECT * FROM audit.subscriptions WHERE folded IS NOT TRUE',
    'an event is in no subscription': `
      SELECT * FROM audit.provider_events e
      WHERE has_fact AND subscription_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM audit.subscriptions s WHERE s.subscription_id = e.subscription_id)`,
    'an event counts as applied and was refused, or neither': `
      SELECT * FROM audit.provider_events WHERE applied = (reason IS NOT NULL)`,
    'a subscription is not that of the user of its customer': `
      SELECT s.*, c.user_id AS owner
      FROM audit.subscriptions s JOIN audit.customers c USING (customer_id)
      WHERE s.user_id IS DISTINCT FROM c.user_id AND s.is_sold`,
    'a subscription of what we have not sold is that of a user': `
      SELECT * FROM audit.subscriptions WHERE user_id IS NOT NULL AND NOT is_sold`,
    'a status without access gives some, or one with access none': `
      SELECT * FROM audit.subscriptions
      WHERE (status NOT IN ('TRIALING', 'ACTIVE', 'PAST_DUE') AND premium_until IS NOT NULL)
        OR (status IN ('TRIALING', 'ACTIVE') AND current_period_end IS NOT NULL AND premium_until IS NULL)`,
    // Hours of grace, and no days: a day of PostgreSQL is as long as it is where the server stands.
    'access does not end when the row of its subscription says': `
      SELECT * FROM (
        SELECT *, CASE
          WHEN status IN ('TRIALING', 'ACTIVE')
            THEN coalesce(scheduled_end,
              least(cancel_at, current_period_end + make_interval(hours => renewal_grace_hours)))
          WHEN status = 'PAST_DUE' AND past_due_since IS NOT NULL
            THEN least(scheduled_end, cancel_at, past_due_since + make_interval(hours => 24 * grace_days))
        END AS access_end
        FROM audit.subscriptions CROSS JOIN LATERAL (
          SELECT CASE
            WHEN cancel_at_period_end AND current_period_end IS NOT NULL THEN least(current_period_end, cancel_at)
            WHEN current_period_end IS NULL OR cancel_at <= current_period_end THEN cancel_at
          END AS scheduled_end
        ) scheduled
      ) computed
      WHERE grace_days IS NOT NULL AND premium_until IS DISTINCT FROM access_end`,
    'somebody pays for two subscriptions at once': `
      SELECT user_id, jsonb_agg(subscription_id ORDER BY subscription_id) AS subscriptions
      FROM audit.subscriptions
      WHERE user_id IS NOT NULL AND status <> 'INCOMPLETE' AND premium_until > now()
      GROUP BY user_id HAVING count(*) > 1`,
    'what was last published of a user is not their access': `
      WITH last AS (
        SELECT DISTINCT ON (user_id) * FROM audit.published_access ORDER BY user_id, version DESC
      ), published AS (
        SELECT user_id, s->>'id' AS id, s->>'status' AS status, (s->>'accessUntil')::timestamptz AS until
        FROM last CROSS JOIN jsonb_array_elements(subscriptions) s
        UNION ALL
        SELECT user_id, g->>'id', 'GRANT', (g->>'until')::timestamptz FROM last CROSS JOIN jsonb_array_elements(grants) g
      ), stored AS (
        SELECT user_id, subscription_id AS id, status, premium_until AS until
        FROM audit.subscriptions WHERE user_id IS NOT NULL
        UNION ALL
        SELECT user_id, id::text, 'GRANT', until FROM audit.grants WHERE revoked_at IS NULL
      )
      SELECT user_id, p.lines AS published, s.lines AS stored
      FROM (
        SELECT user_id, jsonb_agg(jsonb_build_array(id, status, until) ORDER BY id) AS lines
        FROM published GROUP BY user_id
      ) p
      FULL JOIN (
        SELECT user_id, jsonb_agg(jsonb_build_array(id, status, until) ORDER BY id) AS lines
        FROM stored GROUP BY user_id
      ) s USING (user_id)
      WHERE p.lines IS DISTINCT FROM s.lines`,
    'the versions of a user are not 1, 2, 3 …': `
      SELECT user_id, max(version) AS last, count(*) AS events
      FROM audit.published_access GROUP BY user_id
      HAVING count(DISTINCT version) <> count(*) OR min(version) <> 1 OR max(version) <> count(*)`,
    'a paid invoice is not published once': `
      SELECT * FROM audit.invoices
      WHERE announced <> CASE WHEN user_id IS NOT NULL AND currency = 'usd' AND amount_cents > 0 THEN 1 ELSE 0 END`,
  }),
];
