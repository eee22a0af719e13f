import { createInbox, dropInbox } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments and credits from the events of the gateway, and the inbox of the events. */
export class CreateLedgerCopy1795312800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createInbox(runner);
    await createPayments(runner);
    await createCredits(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credits, payments');
    await runner.query('DROP FUNCTION add_payments_month(timestamptz), payment_status_rank(text)');
    await dropInbox(runner);
  }
}

async function createPayments(runner: QueryRunner): Promise<void> {
  // A final status never becomes an open one, whatever comes late; settled wins over failed.
  await runner.query(`
    CREATE FUNCTION payment_status_rank(status text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT array_position(ARRAY['settlement_pending', 'needs_reconciliation', 'settlement_failed', 'settled'], status) $$`);
  await runner.query(`
    CREATE TABLE payments (
      id uuid NOT NULL,
      wallet text NOT NULL,
      endpoint text NOT NULL,
      amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
      chain_id bigint NOT NULL,
      asset text NOT NULL,
      transaction_hash text,
      status text NOT NULL CHECK (payment_status_rank(status) IS NOT NULL),
      verified_at timestamptz NOT NULL,
      settled_at timestamptz,
      failed_at timestamptz,
      served boolean NOT NULL,
      reason text,
      tier text,
      rebate_micros bigint NOT NULL DEFAULT 0 CHECK (rebate_micros >= 0),
      attributed_cost_micros bigint NOT NULL CHECK (attributed_cost_micros >= 0),
      request_id text NOT NULL,
      PRIMARY KEY (id, verified_at)
    ) PARTITION BY RANGE (verified_at)`);
  await runner.query(`COMMENT ON COLUMN payments.served IS
    'The buyer is known to have had the result before the settlement was; events of settled payments do not say it'`);
  // Read backwards: the newest first.
  await runner.query(`CREATE INDEX payments_newest ON payments (verified_at, id)`);
  await runner.query(
    `CREATE INDEX payments_not_settled ON payments (status, verified_at, id) WHERE status <> 'settled'`,
  );
  await runner.query(`
    CREATE INDEX payments_served_and_failed ON payments (verified_at, id) WHERE status = 'settlement_failed' AND served`);
  await runner.query(`
    CREATE INDEX payments_without_hash ON payments (verified_at, id)
    WHERE status = 'settled' AND transaction_hash IS NULL`);
  // No default partition: a missing month is an error and does not collect rows unnoticed.
  await runner.query(`
    CREATE FUNCTION add_payments_month(month timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      first timestamp := date_trunc('month', month AT TIME ZONE 'UTC');
      name text := 'payments_' || to_char(first, 'YYYY_MM');
    BEGIN
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock(hashtext('add_payments_month'));
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      -- Made apart and attached: readers of the other months do not wait.
      EXECUTE format('CREATE TABLE %I (LIKE payments INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
      EXECUTE format('ALTER TABLE payments ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        name, first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
    END $$`);
}

/** One row for issue and redemption, whichever event comes first. */
async function createCredits(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE credits (
      id uuid PRIMARY KEY,
      wallet text NOT NULL,
      face_micros bigint CHECK (face_micros >= 0),
      payment_id uuid,
      tier text,
      issued_at timestamptz,
      endpoint text,
      price_micros bigint CHECK (price_micros >= 0),
      change_micros bigint CHECK (change_micros >= 0),
      attributed_cost_micros bigint CHECK (attributed_cost_micros >= 0),
      redeemed_at timestamptz,
      request_id text,
      CHECK (num_nulls(face_micros, payment_id, tier, issued_at) IN (0, 4)),
      CHECK (num_nulls(endpoint, price_micros, change_micros, attributed_cost_micros, redeemed_at, request_id) IN (0, 6)),
      CHECK (issued_at IS NOT NULL OR redeemed_at IS NOT NULL)
    ) WITH (fillfactor = 90)`);
  await runner.query(`CREATE INDEX credits_newest ON credits (issued_at, id)`);
}
