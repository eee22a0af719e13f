import { InvoicePaid, SubscriptionChanged, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { ProjectSubscriptions, SUBSCRIPTIONS_PROJECTION } from '@evenkeel/reporting';
import { Client } from 'pg';
import { iso, messagesOf, type PublishedRow } from './published-rows';
import { ingest } from './time-ingest';

const SUBSCRIPTION = `
  jsonb_build_object('id', 'sub_' || user_id, 'provider', 'STRIPE', 'planCode', plan,
    'status', CASE WHEN active > 0 THEN 'ACTIVE' WHEN past_due > 0 THEN 'PAST_DUE' ELSE 'TRIALING' END,
    'interval', CASE plan WHEN 'premium_yearly' THEN 'year' ELSE 'month' END,
    'recurringMicros', CASE plan WHEN 'premium_yearly' THEN 59990000 ELSE 7990000 END, 'startedAt', NULL,
    'currentPeriodEnd', NULL, 'cancelAt', NULL, 'trialEnd', NULL, 'pastDueSince', NULL, 'collectionPaused', false,
    'accessUntil', NULL)`;

const EVENTS = `
  SELECT gen_random_uuid() AS id, '${SubscriptionChanged.type}' AS type, user_id AS key, ${iso('changed_at')} AS at,
    jsonb_build_object('userId', user_id, 'version', version, 'subscriptions',
      (SELECT coalesce(jsonb_agg(${SUBSCRIPTION}), '[]') FROM jsonb_object_keys(plans) AS plan),
      'grants', '[]'::jsonb, 'cause', 'customer.subscription.updated', 'changedAt', ${iso('changed_at')})::text AS data
  FROM subscription_versions
  UNION ALL
  SELECT gen_random_uuid(), '${InvoicePaid.type}', user_id, ${iso('paid_at')},
    jsonb_build_object('invoiceId', id, 'userId', user_id, 'subscriptionId', subscription_id, 'planCode', plan_code,
      'amountMicros', amount_micros, 'taxMicros', tax_micros, 'reason', reason, 'periodStart', ${iso('period_start')},
      'periodEnd', ${iso('period_end')}, 'paidAt', ${iso('paid_at')})::text
  FROM invoices
  ORDER BY at, type DESC LIMIT $1`;

/**
 * Subscriptions and invoices through the real consumer, inbox and rollups included.
 * @param seededUrl has the subscriptions
 * @param url a database with empty tables
 * @returns events a second
 */
export async function timeSubscriptionIngest(seededUrl: string, url: string, events: number): Promise<number> {
  const seeded = new Client({ connectionString: seededUrl });
  await seeded.connect();
  const { rows } = await seeded.query<PublishedRow>(EVENTS, [events]);
  await seeded.end();
  const projection = { ...SUBSCRIPTIONS_PROJECTION, consumer: new ProjectSubscriptions() };
  return ingest(url, projection, messagesOf(SUBSCRIPTIONS_STREAM, '/billing', rows));
}
