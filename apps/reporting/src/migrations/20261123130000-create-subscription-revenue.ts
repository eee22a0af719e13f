import { addProgress } from '@evenkeel/platform/projection';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions and invoices from the events of billing, with their rollups. Days are in UTC. */
export class CreateSubscriptionRevenue1795438800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createVersions(runner);
    await this.createSubscriptionRollups(runner);
    await this.createInvoices(runner);
    await addProgress(runner, 'reporting.subscriptions');
  }

  private async createVersions(runner: QueryRunner): Promise<void> {
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
  }

  private async createSubscriptionRollups(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscription_days (
        day date PRIMARY KEY,
        new_micros bigint NOT NULL,
        reactivation_micros bigint NOT NULL,
        expansion_micros bigint NOT NULL,
        contraction_micros bigint NOT NULL,
        churn_micros bigint NOT NULL,
        new_subscribers bigint NOT NULL,
        reactivated bigint NOT NULL,
        churned bigint NOT NULL
      ) WITH (fillfactor = 60)`);
    await runner.query(`
      CREATE TABLE plan_days (
        day date NOT NULL,
        plan text NOT NULL,
        subscribers bigint NOT NULL,
        mrr_micros bigint NOT NULL,
        PRIMARY KEY (day, plan)
      ) WITH (fillfactor = 60)`);
    await runner.query(`COMMENT ON TABLE plan_days IS
      'By how much subscribers and MRR of a plan changed on the day; a plan that somebody had has a row, also with zeros'`);
    await runner.query(`
      CREATE TABLE standing_totals (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        active bigint NOT NULL DEFAULT 0,
        past_due bigint NOT NULL DEFAULT 0,
        trialing bigint NOT NULL DEFAULT 0,
        scheduled_to_cancel bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10)`);
    await runner.query(`INSERT INTO standing_totals DEFAULT VALUES`);
    // Operators give them by hand: few, and the clock ends them without an event.
    await runner.query(`CREATE TABLE granted_users (user_id uuid PRIMARY KEY, until timestamptz NOT NULL)`);
    await runner.query(`CREATE INDEX granted_users_until ON granted_users (until)`);
  }

  private async createInvoices(runner: QueryRunner): Promise<void> {
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
        kind text NOT NULL CHECK (kind IN ('refund', 'refund_failed', 'dispute', 'dispute_won')),
        user_id uuid NOT NULL,
        invoice_id text,
        amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
        occurred_at timestamptz NOT NULL,
        PRIMARY KEY (id, kind)
      )`);
    await runner.query(`CREATE INDEX invoice_adjustments_newest ON invoice_adjustments (occurred_at, id)`);
    await runner.query(`
      CREATE TABLE invoice_days (
        day date PRIMARY KEY,
        paid bigint NOT NULL DEFAULT 0,
        gross_micros bigint NOT NULL DEFAULT 0,
        tax_micros bigint NOT NULL DEFAULT 0,
        refunded_micros bigint NOT NULL DEFAULT 0,
        disputed_micros bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 60)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM rebuilds WHERE subscription = 'reporting.subscriptions'`);
    await runner.query(`DELETE FROM progress WHERE subscription = 'reporting.subscriptions'`);
    await runner.query(`DROP TABLE invoice_days, invoice_adjustments, invoices, granted_users, standing_totals, plan_days,
      subscription_days, subscription_versions`);
  }
}
