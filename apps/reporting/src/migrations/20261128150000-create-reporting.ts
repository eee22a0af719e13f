import { createInbox, createProgress, dropInbox } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createHeartbeats, dropHeartbeats } from '../projection/heartbeat-table';
import { AUDIT_VIEWS } from './audit-views';
import { createLedger } from './create-ledger';
import { createSubscriptions } from './create-subscriptions';

/** The copies of two streams with the sums of the first, how far they are read, and what operators have read. */
export class CreateReporting1795878000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createInbox(runner);
    await createProgress(runner, 'reporting', 'reporting.subscriptions');
    await createHeartbeats(runner);
    await createLedger(runner);
    await createSubscriptions(runner);
    await createOperatorReads(runner);
    await runner.query('CREATE SCHEMA audit');
    for (const [name, select] of Object.entries(AUDIT_VIEWS)) {
      await runner.query(`CREATE VIEW audit.${name} AS ${select}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA audit CASCADE');
    await runner.query('DROP TABLE operator_reads, invoice_adjustments, invoices, subscription_versions');
    await runner.query(
      'DROP TABLE wallet_months, wallet_totals, wallet_days, daily_totals, credits, payment_states, payments',
    );
    await runner.query('DROP FUNCTION refuse_to_erase_young_operator_reads(), refuse_to_change_operator_reads()');
    await runner.query('DROP FUNCTION add_to_wallet_months(), empty_wallet_months()');
    await runner.query('DROP FUNCTION add_payments_month(timestamptz), payment_status_rank(text)');
    await dropHeartbeats(runner);
    await runner.query('DROP TABLE rebuilds, progress');
    await dropInbox(runner);
  }
}

/** Rows are added and never changed, and may be erased after 90 days: triggers refuse everything else. */
async function createOperatorReads(runner: QueryRunner): Promise<void> {
  // Not jsonb: a query is stored as it came, with characters that jsonb refuses.
  await runner.query(`
    CREATE TABLE operator_reads (
      id uuid PRIMARY KEY,
      occurred_at timestamptz NOT NULL,
      path text NOT NULL,
      query json NOT NULL,
      request_id text NOT NULL,
      network text NOT NULL,
      allowed boolean NOT NULL DEFAULT true
    )`);
  await runner.query(`CREATE INDEX operator_reads_occurred_at ON operator_reads (occurred_at)`);
  await runner.query(`
    CREATE FUNCTION refuse_to_change_operator_reads() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'operator_reads is append-only';
    END $$`);
  await runner.query(`
    CREATE FUNCTION refuse_to_erase_young_operator_reads() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF old.occurred_at > now() - interval '90 days' THEN
        RAISE EXCEPTION 'operator_reads is append-only for 90 days';
      END IF;
      RETURN old;
    END $$`);
  await runner.query(`
    CREATE TRIGGER operator_reads_append_only BEFORE UPDATE OR TRUNCATE ON operator_reads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_reads()`);
  await runner.query(`
    CREATE TRIGGER operator_reads_kept BEFORE DELETE ON operator_reads
    FOR EACH ROW EXECUTE FUNCTION refuse_to_erase_young_operator_reads()`);
}
