import type { QueryRunner } from 'typeorm';

/**
 * Subscriptions and invoices from the events of billing: so few that every answer sums them again, from
 * indexes that cover what it reads. Days are in UTC.
 */
export async function createSubscriptions(runner: QueryRunner): Promise<void> {
  // Plans: MRR in micro-USD of live subscriptions, 0 for one that brings none, an empty name for no plan. The day of a movement is
  // at least that of the version before.
  await runner.query(`
    CREATE TABLE subscription_versions (
      user_id uuid NOT NULL,
      version integer NOT NULL CHECK (version > 0),
      changed_at timestamptz NOT NULL,
      plans jsonb NOT NULL,
      active integer NOT NULL,
      past_due integer NOT NULL,
      trialing integer NOT NULL,
      scheduled_to_cancel integer NOT NULL,
      granted_until timestamptz,
      day date NOT NULL,
      mrr_micros bigint NOT NULL CHECK (mrr_micros >= 0),
      has_paid boolean NOT NULL,
      movement text CHECK (movement IN ('new', 'reactivation', 'expansion', 'contraction', 'churn')),
      movement_micros bigint NOT NULL,
      PRIMARY KEY (user_id, version) INCLUDE (
        day, plans, active, past_due, trialing, scheduled_to_cancel, granted_until
      )
    )`);
  await runner.query(`
    CREATE INDEX subscription_versions_moved ON subscription_versions (day)
    INCLUDE (user_id, version, movement, movement_micros) WHERE movement IS NOT NULL`);
  await runner.query(`
    CREATE TABLE invoices (
      id text PRIMARY KEY,
      user_id uuid NOT NULL,
      subscription_id text,
      plan_code text,
      amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
      tax_micros bigint NOT NULL CHECK (tax_micros >= 0),
      reason text NOT NULL,
      period_start timestamptz,
      period_end timestamptz,
      paid_at timestamptz NOT NULL
    )`);
  await runner.query(`CREATE INDEX invoices_newest ON invoices (paid_at, id) INCLUDE (amount_micros, tax_micros)`);
  await runner.query(`
    CREATE TABLE invoice_adjustments (
      id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost')),
      user_id uuid NOT NULL,
      invoice_id text,
      amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
      occurred_at timestamptz NOT NULL,
      PRIMARY KEY (id, kind)
    )`);
  await runner.query(`CREATE INDEX invoice_adjustments_newest ON invoice_adjustments (occurred_at, id)`);
}
