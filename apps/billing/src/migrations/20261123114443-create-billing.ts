import { createIdempotencyKeys, dropIdempotencyKeys } from '@evenkeel/platform/auth';
import {
  createInbox,
  createOutbox,
  createProgress,
  dropInbox,
  dropOutbox,
  dropProgress,
} from '@evenkeel/platform/messaging';
import { createOperatorActions, dropOperatorActions } from '@evenkeel/platform/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createRevokedSessions, dropRevokedSessions } from '../remote-sign-in/revoked-sessions';
import { AUDIT_VIEWS } from './audit-views';

/** Everything that billing stores, as its first release has it. */
export class CreateBilling1795434283283 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await createIdempotencyKeys(runner);
    await createOperatorActions(runner);
    await this.createPeople(runner);
    await this.createSubscriptions(runner);
    await this.createMoney(runner);
    await this.createWork(runner);
    await this.createComparisons(runner);
    await runner.query(`CREATE SCHEMA audit`);
    for (const [name, select] of Object.entries(AUDIT_VIEWS)) {
      await runner.query(`CREATE VIEW audit.${name} AS ${select}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA audit CASCADE');
    await runner.query('DROP TABLE compared_prices, reconciliations, provider_differences');
    await runner.query('DROP TABLE departures, provider_reads, checkouts');
    await runner.query('DROP TABLE adjustments, charges, invoices');
    await runner.query('DROP TABLE grants, subscriptions, provider_events, access_versions, customers');
    await dropProgress(runner);
    await dropRevokedSessions(runner);
    await runner.query('DROP TABLE usage_months, people');
    await dropOperatorActions(runner);
    await dropIdempotencyKeys(runner);
    await dropInbox(runner);
    await dropOutbox(runner);
  }

  /** The copy of people, made of events of accounts alone: a rebuild empties these tables. */
  private async createPeople(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE people (
        user_id uuid PRIMARY KEY,
        verified_at timestamptz,
        deleted_at timestamptz,
        changed_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE usage_months (
        user_id uuid NOT NULL,
        period text NOT NULL,
        used integer NOT NULL,
        version integer NOT NULL,
        PRIMARY KEY (user_id, period)
      )`);
    await createRevokedSessions(runner);
    await createProgress(runner, 'billing');
  }

  /** Subscriptions of the provider: events as they came, each subscription as their fold, and manual grants. */
  private async createSubscriptions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE customers (
        customer_id text PRIMARY KEY,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        deleted_at timestamptz
      )`);
    await runner.query(`CREATE INDEX customers_of_user ON customers (user_id, created_at DESC)`);
    // Customers whom the provider still knows, of users who may have left.
    await runner.query(`CREATE INDEX customers_there ON customers (user_id) WHERE deleted_at IS NULL`);

    // The version of what is published of a user; its row is the lock of everything that changes their access.
    await runner.query(`CREATE TABLE access_versions (user_id uuid PRIMARY KEY, version integer NOT NULL)`);

    // Never a payload: only the fact that was read from it, without address, name or card.
    await runner.query(`
      CREATE TABLE provider_events (
        id text PRIMARY KEY,
        type text NOT NULL,
        created timestamptz NOT NULL,
        rank smallint NOT NULL,
        received_at timestamptz NOT NULL,
        customer_id text,
        subscription_id text,
        charge_id text,
        fact jsonb,
        applied boolean NOT NULL,
        reason text
      )`);
    await runner.query(`
      CREATE INDEX provider_events_of_subscription ON provider_events (subscription_id, created, rank, id COLLATE "C")
      WHERE subscription_id IS NOT NULL`);
    await runner.query(`CREATE INDEX provider_events_by_arrival ON provider_events (received_at)`);
    await runner.query(`
      CREATE INDEX provider_events_unmatched ON provider_events (customer_id) WHERE reason = 'unmatched_customer'`);
    await runner.query(`
      CREATE INDEX provider_events_of_charge ON provider_events (charge_id)
      WHERE charge_id IS NOT NULL AND customer_id IS NULL`);
    await runner.query(`
      CREATE INDEX provider_events_of_deletion ON provider_events (customer_id) WHERE type = 'customer.deleted'`);

    await runner.query(`
      CREATE TABLE subscriptions (
        subscription_id text PRIMARY KEY,
        customer_id text,
        user_id uuid,
        state jsonb NOT NULL,
        status text NOT NULL,
        access_until timestamptz,
        last_created timestamptz NOT NULL,
        last_rank smallint NOT NULL,
        last_id text NOT NULL,
        folded_events integer NOT NULL,
        folded_ids bigint NOT NULL,
        changed_at timestamptz NOT NULL,
        grace_days smallint,
        renewal_grace_hours smallint
      )`);
    await runner.query(`COMMENT ON COLUMN subscriptions.folded_ids IS
        'Exclusive or of the hashes of the ids of the folded events: equal to that over provider_events'`);
    await runner.query(`CREATE INDEX subscriptions_of_user ON subscriptions (user_id) WHERE user_id IS NOT NULL`);
    await runner.query(`CREATE INDEX subscriptions_of_customer ON subscriptions (customer_id)`);

    await runner.query(`
      CREATE TABLE grants (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL,
        until timestamptz,
        note text NOT NULL,
        granted_at timestamptz NOT NULL,
        revoked_at timestamptz
      )`);
    await runner.query(`CREATE INDEX grants_of_user ON grants (user_id) WHERE revoked_at IS NULL`);
  }

  /** Payments, and money that went back. */
  private async createMoney(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invoices (
        invoice_id text PRIMARY KEY,
        customer_id text,
        user_id uuid,
        subscription_id text,
        plan_code text,
        currency text NOT NULL,
        amount_cents bigint NOT NULL,
        tax_cents bigint NOT NULL,
        reason text NOT NULL,
        period_start timestamptz,
        period_end timestamptz,
        paid_at timestamptz NOT NULL,
        published boolean NOT NULL
      )`);
    await runner.query(`CREATE INDEX invoices_by_payment ON invoices (paid_at)`);
    await runner.query(`CREATE INDEX invoices_unlinked ON invoices (customer_id) WHERE user_id IS NULL`);

    // Whose a charge is: refunds and disputes name nothing else.
    await runner.query(`
      CREATE TABLE charges (
        charge_id text PRIMARY KEY,
        customer_id text NOT NULL,
        invoice_id text
      )`);
    await runner.query(`
      CREATE TABLE adjustments (
        adjustment_id text NOT NULL,
        kind text NOT NULL,
        charge_id text,
        customer_id text,
        user_id uuid,
        invoice_id text,
        currency text NOT NULL,
        amount_cents bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        published boolean NOT NULL,
        PRIMARY KEY (adjustment_id, kind)
      )`);
    await runner.query(`CREATE INDEX adjustments_unlinked ON adjustments (customer_id) WHERE user_id IS NULL`);
    await runner.query(`CREATE INDEX adjustments_of_charge ON adjustments (charge_id)`);
  }

  /** Open work at the provider: checkouts, reads that wait, customers that have to go. */
  private async createWork(runner: QueryRunner): Promise<void> {
    // The id is the idempotency key of the session at the provider. One page of a user is open at a time.
    await runner.query(`
      CREATE TABLE checkouts (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL,
        plan_code text NOT NULL,
        trial_days integer NOT NULL,
        session_id text UNIQUE,
        created_at timestamptz NOT NULL,
        closed_at timestamptz
      )`);
    await runner.query(`CREATE UNIQUE INDEX checkouts_open ON checkouts (user_id) WHERE closed_at IS NULL`);

    await runner.query(`
      CREATE TABLE provider_reads (
        kind text NOT NULL CHECK (kind IN ('subscription', 'charge')),
        id text NOT NULL,
        reason text NOT NULL,
        answer_after timestamptz,
        asked_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, id)
      )`);
    await runner.query(`CREATE INDEX provider_reads_due ON provider_reads (due_at)`);

    // Kept by a rebuild: whom the provider still has to forget.
    await runner.query(`
      CREATE TABLE departures (
        user_id uuid PRIMARY KEY,
        asked_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        done_at timestamptz
      )`);
    await runner.query(`CREATE INDEX departures_due ON departures (due_at) WHERE done_at IS NULL`);
  }

  /** Findings of the last reconciliation; a plan whose price differs from that of the provider cannot be bought. */
  private async createComparisons(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE provider_differences (
        kind text NOT NULL,
        subject text NOT NULL,
        detail text NOT NULL,
        found_at timestamptz NOT NULL,
        PRIMARY KEY (kind, subject)
      )`);
    await runner.query(`
      CREATE TABLE reconciliations (
        finished_at timestamptz PRIMARY KEY,
        differences integer NOT NULL,
        is_whole boolean NOT NULL DEFAULT true
      )`);
    await runner.query(`
      CREATE TABLE compared_prices (
        plan_code text NOT NULL,
        price_id text NOT NULL,
        amount_cents integer NOT NULL,
        compared_at timestamptz NOT NULL,
        difference text,
        PRIMARY KEY (plan_code, price_id, amount_cents)
      )`);
  }
}
