import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EVENTS_OF_ROW, VIEWS } from './20261123121100-create-audit-views';

/**
 * With which grace the access of a subscription was computed: settings may change, a row is true to those of its last event.
 * Null for rows without an event since.
 */
export class KeepTermsOfAccess1795507200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE subscriptions ADD COLUMN grace_days smallint, ADD COLUMN renewal_grace_hours smallint',
    );
    await runner.query(`CREATE OR REPLACE VIEW audit.subscriptions AS ${SUBSCRIPTIONS}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW audit.subscriptions');
    await runner.query(`CREATE VIEW audit.subscriptions AS ${VIEWS.subscriptions}`);
    await runner.query('ALTER TABLE subscriptions DROP COLUMN grace_days, DROP COLUMN renewal_grace_hours');
  }
}

/** The columns of before, and after them what access is a function of. */
export const SUBSCRIPTIONS = `
  WITH row AS (SELECT * FROM subscriptions)
  SELECT subscription_id, customer_id, user_id, status, (state->>'currentPeriodEnd')::timestamptz AS current_period_end,
    (state->>'cancelAtPeriodEnd')::boolean AS cancel_at_period_end, access_until AS premium_until,
    row.last_created AS last_event_created,
    row.folded_events = e.events AND row.folded_ids = e.ids AND row.last_id = e.last_id
      AND row.last_created = e.last_created AND row.status = row.state->>'status' AS folded,
    (state->>'cancelAt')::timestamptz AS cancel_at, (state->>'pastDueSince')::timestamptz AS past_due_since,
    grace_days, renewal_grace_hours
  FROM row CROSS JOIN LATERAL (${EVENTS_OF_ROW}) e`;
