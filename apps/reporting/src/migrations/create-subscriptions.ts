import type { QueryRunner } from 'typeorm';

/** Subscriptions and invoices from the events of billing: so few that every answer sums them again. Days are in UTC. */
export async function createSubscriptions(runner: QueryRunner): Promise<void> {
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
      PRIMARY KEY (user_id, version)
    )`);
  const comments = {
    plans: 'MRR in micro-USD by plan of the live subscriptions; 0 for one that brings none, empty name for no plan',
    granted_until: 'infinity for a grant without an end',
    day: 'Day of changed_at, at least that of the version before: what the movement counts on',
    has_paid: 'In this version or in an earlier one',
    movement_micros: 'MRR less that of the version before',
  };
  for (const [column, comment] of Object.entries(comments)) {
    await runner.query(`COMMENT ON COLUMN subscription_versions.${column} IS '${comment}'`);
  }
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
  await runner.query(`CREATE INDEX invoices_newest ON invoices (paid_at, id)`);
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

export async function dropSubscriptions(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE invoice_adjustments, invoices, subscription_versions');
}
