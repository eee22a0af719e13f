import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePayments1795251600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE facilitator_wordings (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        digest text NOT NULL UNIQUE,
        version smallint NOT NULL CHECK (version IN (1, 2)),
        head text NOT NULL,
        tail text NOT NULL
      )`);
    // No foreign keys: each would lock the referenced row once per call, and no referenced row is ever deleted.
    // fillfactor leaves room for the one update of each row; no index touches a column that it changes.
    await runner.query(`
      CREATE TABLE payments (
        id uuid PRIMARY KEY,
        chain_id integer NOT NULL,
        asset text NOT NULL CHECK (asset = lower(asset)),
        payer text NOT NULL CHECK (payer ~ '^0x[0-9a-f]{40}$'),
        nonce text NOT NULL CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
        endpoint text NOT NULL,
        price_micros bigint NOT NULL CHECK (price_micros > 0),
        fingerprint text NOT NULL,
        payload_digest text NOT NULL,
        payment_identifier text,
        idempotency_key text,
        "authorization" text NOT NULL,
        signature text NOT NULL,
        wording_id integer NOT NULL,
        v2_grade boolean NOT NULL,
        state text NOT NULL CHECK (state IN ('settling', 'settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed')),
        served boolean NOT NULL DEFAULT false,
        transaction_hash text,
        reason text,
        request_id text NOT NULL,
        cost_micros bigint NOT NULL CHECK (cost_micros >= 0),
        verified_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        settled_at timestamptz,
        valid_before timestamptz NOT NULL,
        CONSTRAINT payments_authorization_key UNIQUE (nonce, payer, asset, chain_id),
        CHECK ((state = 'settled') = (settled_at IS NOT NULL))
      ) WITH (fillfactor = 60)`);
    await runner.query(`CREATE INDEX payments_created_at ON payments (created_at)`);
    await runner.query(`
      CREATE UNIQUE INDEX payments_identifier_key ON payments (payer, payment_identifier)
        WHERE payment_identifier IS NOT NULL`);
    await runner.query(`
      CREATE TABLE payment_answers (
        payment_id uuid PRIMARY KEY,
        status smallint NOT NULL,
        body bytea NOT NULL,
        engine_version text NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    // Encrypted bytes do not compress: trying costs time and gains nothing.
    await runner.query(`ALTER TABLE payment_answers ALTER COLUMN body SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX payment_answers_expires_at ON payment_answers (expires_at)`);
    await runner.query(`
      CREATE TABLE payment_checks (
        payment_id uuid PRIMARY KEY,
        payer text NOT NULL,
        next_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        settle_again boolean NOT NULL DEFAULT false
      )`);
    await runner.query(`CREATE INDEX payment_checks_next_at ON payment_checks (next_at)`);
    await runner.query(`CREATE INDEX payment_checks_payer ON payment_checks (payer)`);
    await runner.query(`
      CREATE TABLE wallets (
        address text PRIMARY KEY CHECK (address ~ '^0x[0-9a-f]{40}$'),
        settled_micros bigint NOT NULL DEFAULT 0 CHECK (settled_micros >= 0),
        accrued_micros bigint NOT NULL DEFAULT 0 CHECK (accrued_micros >= 0),
        calls integer NOT NULL DEFAULT 0,
        unpaid_calls integer NOT NULL DEFAULT 0,
        event_seq bigint NOT NULL DEFAULT 0,
        first_payment_at timestamptz,
        last_payment_at timestamptz
      ) WITH (fillfactor = 60)`);
    await runner.query(`
      CREATE TABLE calls (
        id uuid PRIMARY KEY,
        payment_id uuid NOT NULL UNIQUE,
        endpoint text NOT NULL,
        request_id text NOT NULL,
        served_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE outbox (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id uuid NOT NULL UNIQUE,
        topic text NOT NULL,
        aggregate text NOT NULL,
        aggregate_seq bigint NOT NULL,
        type text NOT NULL,
        subject text NOT NULL,
        occurred_at timestamptz NOT NULL,
        payload jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        published_at timestamptz,
        attempts integer NOT NULL DEFAULT 0,
        UNIQUE (aggregate, aggregate_seq)
      )`);
    await runner.query(`CREATE INDEX outbox_unpublished ON outbox (seq) WHERE published_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'outbox',
      'calls',
      'wallets',
      'payment_checks',
      'payment_answers',
      'payments',
      'facilitator_wordings',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
