import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SUBSCRIPTIONS } from './20261124080000-keep-terms-of-access';

/**
 * What was compared of prices, which reports were whole, and for events and subscriptions of before which of them came from
 * a page that we opened.
 */
export class ComparePricesAndKnowSales1795860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE compared_prices (
        plan_code text NOT NULL,
        price_id text NOT NULL,
        amount_cents integer NOT NULL,
        compared_at timestamptz NOT NULL,
        difference text,
        PRIMARY KEY (plan_code, price_id, amount_cents)
      )`);
    await runner.query('ALTER TABLE reconciliations ADD COLUMN is_whole boolean NOT NULL DEFAULT true');
    await runner.query(`
      UPDATE provider_events e SET fact = e.fact || jsonb_build_object('isOurs', true)
      FROM customers c
      WHERE e.fact->>'kind' = 'session' AND c.customer_id = e.customer_id
        AND EXISTS (SELECT FROM checkouts p WHERE p.user_id = c.user_id AND p.session_id IS NOT NULL)`);
    await runner.query(`
      UPDATE subscriptions s SET state = s.state || jsonb_build_object('checkoutPlan', e.fact->>'planCode',
        'planCode', coalesce(s.state->>'planCode', e.fact->>'planCode'))
      FROM provider_events e
      WHERE e.subscription_id = s.subscription_id AND e.fact->>'kind' = 'session'
        AND (e.fact->>'isOurs')::boolean AND e.fact->>'planCode' IS NOT NULL`);
    const isSold = `(state->>'planCode') IS NOT NULL AS is_sold`;
    const view = SUBSCRIPTIONS.replace('grace_days, renewal_grace_hours', `grace_days, renewal_grace_hours, ${isSold}`);
    await runner.query(`CREATE OR REPLACE VIEW audit.subscriptions AS ${view}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW audit.subscriptions');
    await runner.query(`CREATE VIEW audit.subscriptions AS ${SUBSCRIPTIONS}`);
    await runner.query('ALTER TABLE reconciliations DROP COLUMN is_whole');
    await runner.query('DROP TABLE compared_prices');
  }
}
