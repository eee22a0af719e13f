/** The fold of the events of a subscription, to be compared with its row. */
const EVENTS_OF_ROW = `
  SELECT count(*) AS events, coalesce(bit_xor(hashtextextended(e.id, 0)), 0) AS ids,
    (array_agg(e.id ORDER BY e.created DESC, e.rank DESC, e.id COLLATE "C" DESC))[1] AS last_id,
    max(e.created) AS last_created
  FROM provider_events e WHERE e.subscription_id = row.subscription_id AND e.fact IS NOT NULL`;

/**
 * Views for auditors, with names that stay the same when tables change. The WITH in each makes it read-only:
 * PostgreSQL refuses writes through such a view.
 */
export const AUDIT_VIEWS = {
  provider_events: `
    WITH row AS (SELECT * FROM provider_events)
    SELECT id, type, created, applied, reason, customer_id, subscription_id, fact IS NOT NULL AS has_fact FROM row`,
  subscriptions: `
    WITH row AS (SELECT * FROM subscriptions)
    SELECT subscription_id, customer_id, user_id, status, (state->>'currentPeriodEnd')::timestamptz AS current_period_end,
      (state->>'cancelAtPeriodEnd')::boolean AS cancel_at_period_end, access_until AS premium_until,
      row.last_created AS last_event_created,
      row.folded_events = e.events AND row.folded_ids = e.ids AND row.last_id = e.last_id
        AND row.last_created = e.last_created AND row.status = row.state->>'status' AS folded,
      (state->>'cancelAt')::timestamptz AS cancel_at, (state->>'pastDueSince')::timestamptz AS past_due_since,
      grace_days, renewal_grace_hours, (state->>'planCode') IS NOT NULL AS is_sold
    FROM row CROSS JOIN LATERAL (${EVENTS_OF_ROW}) e`,
  customers: `WITH row AS (SELECT * FROM customers) SELECT customer_id, user_id, deleted_at FROM row`,
  grants: `WITH row AS (SELECT * FROM grants) SELECT id, user_id, until, revoked_at FROM row`,
  published_access: `
    WITH row AS (SELECT * FROM outbox WHERE type = 'subscription.changed')
    SELECT (payload->>'userId')::uuid AS user_id, (payload->>'version')::integer AS version,
      payload->'subscriptions' AS subscriptions, payload->'grants' AS grants
    FROM row`,
  invoices: `
    WITH row AS (SELECT * FROM invoices)
    SELECT invoice_id, user_id, currency, amount_cents, published,
      (SELECT count(*) FROM outbox o WHERE o.type = 'invoice.paid' AND o.subject = row.invoice_id) AS announced
    FROM row`,
  departures: `WITH row AS (SELECT * FROM departures) SELECT user_id, asked_at, due_at, attempts, done_at FROM row`,
  outbox: `
    WITH row AS (SELECT * FROM outbox)
    SELECT seq, id, aggregate, aggregate_seq, type, subject, created_at, published_at, attempts FROM row`,
  inbox: `WITH row AS (SELECT * FROM inbox) SELECT message_id, consumer, received_at FROM row`,
  positions: `WITH row AS (SELECT * FROM inbox_positions) SELECT consumer, aggregate, last_seq FROM row`,
  parked: `
    WITH row AS (SELECT * FROM parked)
    SELECT consumer, aggregate, aggregate_seq, message_id, reason, parked_at FROM row`,
} as const;
