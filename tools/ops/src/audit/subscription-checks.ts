import type { PromiseCheck } from './promise-checks';

/**
 * Promise P7, over the views of billing: a subscription is the fold of its events, each of which is in it once; access is
 * a function of its row; nobody pays twice; and that was published.
 */
export const SUBSCRIPTION_CHECKS: readonly PromiseCheck[] = [
  {
    promise: 'P7',
    reads: {
      provider_events: ['id', 'applied', 'reason', 'customer_id', 'subscription_id', 'has_fact'],
      subscriptions: ['subscription_id', 'customer_id', 'user_id', 'folded', 'is_sold'],
      customers: ['customer_id', 'user_id'],
    },
    sql: `
      SELECT 'an event of the provider is stored more than once' AS what,
        jsonb_build_object('id', id, 'times', count(*)) AS row
      FROM audit.provider_events GROUP BY id HAVING count(*) > 1
      UNION ALL
      SELECT 'a subscription is not the fold of its events', to_jsonb(s)
      FROM audit.subscriptions s WHERE folded IS NOT TRUE
      UNION ALL
      SELECT 'an event is in no subscription', to_jsonb(e)
      FROM audit.provider_events e
      WHERE has_fact AND subscription_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM audit.subscriptions s WHERE s.subscription_id = e.subscription_id)
      UNION ALL
      SELECT 'an event counts as applied and was refused, or neither', to_jsonb(e)
      FROM audit.provider_events e WHERE applied = (reason IS NOT NULL)
      UNION ALL
      SELECT 'a subscription is not that of the user of its customer', to_jsonb(s) || jsonb_build_object('owner', c.user_id)
      FROM audit.subscriptions s JOIN audit.customers c USING (customer_id)
      WHERE s.user_id IS DISTINCT FROM c.user_id AND s.is_sold
      UNION ALL
      SELECT 'a subscription of what we have not sold is that of a user', to_jsonb(s)
      FROM audit.subscriptions s WHERE s.user_id IS NOT NULL AND NOT s.is_sold`,
  },
  {
    promise: 'P7',
    reads: { subscriptions: ['subscription_id', 'status', 'current_period_end', 'premium_until'] },
    sql: `
      SELECT 'a status without access gives some, or one with access none' AS what, to_jsonb(s) AS row
      FROM audit.subscriptions s
      WHERE (status NOT IN ('TRIALING', 'ACTIVE', 'PAST_DUE') AND premium_until IS NOT NULL)
        OR (status IN ('TRIALING', 'ACTIVE') AND current_period_end IS NOT NULL AND premium_until IS NULL)`,
  },
  {
    promise: 'P7',
    reads: {
      subscriptions: [
        'subscription_id',
        'status',
        'current_period_end',
        'cancel_at_period_end',
        'cancel_at',
        'past_due_since',
        'premium_until',
        'grace_days',
        'renewal_grace_hours',
      ],
    },
    // Hours of grace, and no days: a day of PostgreSQL is as long as it is where the server stands.
    sql: `
      WITH scheduled AS (
        SELECT *, CASE
          WHEN cancel_at_period_end AND current_period_end IS NOT NULL THEN least(current_period_end, cancel_at)
          WHEN current_period_end IS NULL OR cancel_at <= current_period_end THEN cancel_at
        END AS scheduled_end
        FROM audit.subscriptions
      ), computed AS (
        SELECT *, CASE
          WHEN status IN ('TRIALING', 'ACTIVE')
            THEN coalesce(scheduled_end,
              least(cancel_at, current_period_end + make_interval(hours => renewal_grace_hours)))
          WHEN status = 'PAST_DUE' AND past_due_since IS NOT NULL
            THEN least(scheduled_end, cancel_at, past_due_since + make_interval(hours => 24 * grace_days))
        END AS access_end
        FROM scheduled
      )
      SELECT 'access does not end when the row of its subscription says' AS what, to_jsonb(c) AS row
      FROM computed c WHERE grace_days IS NOT NULL AND premium_until IS DISTINCT FROM access_end`,
  },
  {
    promise: 'P7',
    reads: { subscriptions: ['subscription_id', 'user_id', 'status', 'premium_until'] },
    sql: `
      SELECT 'somebody pays for two subscriptions at once' AS what,
        jsonb_build_object('user_id', user_id, 'subscriptions', jsonb_agg(subscription_id ORDER BY subscription_id)) AS row
      FROM audit.subscriptions
      WHERE user_id IS NOT NULL AND status <> 'INCOMPLETE' AND premium_until > now()
      GROUP BY user_id HAVING count(*) > 1`,
  },
  {
    promise: 'P7',
    reads: {
      subscriptions: ['subscription_id', 'user_id', 'status', 'premium_until'],
      grants: ['id', 'user_id', 'until', 'revoked_at'],
      published_access: ['user_id', 'version', 'subscriptions', 'grants'],
    },
    sql: `
      WITH last AS (
        SELECT DISTINCT ON (user_id) * FROM audit.published_access ORDER BY user_id, version DESC
      ), users AS (
        SELECT user_id FROM audit.subscriptions WHERE user_id IS NOT NULL
        UNION SELECT user_id FROM audit.grants UNION SELECT user_id FROM last
      ), told AS (
        SELECT user_id, s->>'id' AS id, s->>'status' AS status, (s->>'accessUntil')::timestamptz AS until
        FROM last CROSS JOIN jsonb_array_elements(subscriptions) s
        UNION ALL
        SELECT user_id, g->>'id', 'GRANT', (g->>'until')::timestamptz FROM last CROSS JOIN jsonb_array_elements(grants) g
      ), stored AS (
        SELECT user_id, subscription_id AS id, status, premium_until AS until FROM audit.subscriptions
        UNION ALL
        SELECT user_id, id::text, 'GRANT', until FROM audit.grants WHERE revoked_at IS NULL
      )
      SELECT 'what was last published of a user is not their access' AS what,
        jsonb_build_object('user_id', user_id, 'published', t.all, 'stored', s.all) AS row
      FROM users
      CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_array(id, status, until) ORDER BY id), '[]') AS all
        FROM told WHERE told.user_id = users.user_id
      ) t
      CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_array(id, status, until) ORDER BY id), '[]') AS all
        FROM stored WHERE stored.user_id = users.user_id
      ) s
      WHERE t.all <> s.all
      UNION ALL
      SELECT 'the versions of a user are not 1, 2, 3 …',
        jsonb_build_object('user_id', user_id, 'last', max(version), 'events', count(*))
      FROM audit.published_access GROUP BY user_id
      HAVING count(DISTINCT version) <> count(*) OR min(version) <> 1 OR max(version) <> count(*)`,
  },
  {
    promise: 'P7',
    reads: { invoices: ['invoice_id', 'user_id', 'currency', 'amount_cents', 'published', 'announced'] },
    sql: `
      SELECT 'a paid invoice is not published once' AS what, to_jsonb(i) AS row
      FROM audit.invoices i
      WHERE announced <> CASE WHEN user_id IS NOT NULL AND currency = 'usd' AND amount_cents > 0 THEN 1 ELSE 0 END`,
  },
];
