import { createUnnumberedOutbox, dropUnnumberedOutbox } from '@evenkeel/platform/messaging';
import { createOperatorActions, dropOperatorActions } from '@evenkeel/platform/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_AUDIT_VIEWS } from './audit-views';

/** The rule of lower-case hex; a pattern costs ten times as much, which was a seventh of what the database does for a paid call. */
const isHex = (column: string, digits: number) =>
  `octet_length(${column}) = ${digits + 2} AND ${column} = '0x' || encode(decode(substr(${column}, 3), 'hex'), 'hex')`;

// No foreign keys: each would lock the referenced row once per call, and no referenced row is ever deleted.
// fillfactor leaves room for the one update of each row; no index touches a column that it changes.
const PAYMENTS = `
  CREATE TABLE facilitator_wordings (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest text NOT NULL UNIQUE,
    version smallint NOT NULL CHECK (version IN (1, 2)),
    head text NOT NULL,
    tail text NOT NULL
  );
  CREATE TABLE payments (
    id uuid PRIMARY KEY,
    chain_id integer NOT NULL,
    asset text NOT NULL CHECK (asset = lower(asset)),
    payer text NOT NULL CHECK (${isHex('payer', 40)}),
    nonce text NOT NULL CHECK (${isHex('nonce', 64)}),
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
    -- By the clock of the database, which all replicas share.
    claimed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT payments_authorization_key UNIQUE (nonce, payer, asset, chain_id),
    CHECK ((state = 'settled') = (settled_at IS NOT NULL))
  ) WITH (fillfactor = 60);
  CREATE INDEX payments_created_at ON payments (created_at);
  CREATE UNIQUE INDEX payments_identifier_key ON payments (payer, payment_identifier) WHERE payment_identifier IS NOT NULL;
  -- A table of its own: an index on columns of payments would make every settlement write all indexes of its row again.
  CREATE TABLE payment_transfers (
    chain_id integer NOT NULL,
    transaction_hash text NOT NULL CHECK (transaction_hash = lower(transaction_hash)),
    log_index integer NOT NULL CHECK (log_index >= -1),
    payment_id uuid NOT NULL UNIQUE,
    PRIMARY KEY (chain_id, transaction_hash, log_index)
  );
  CREATE TABLE payment_checks (
    payment_id uuid PRIMARY KEY,
    payer text NOT NULL,
    next_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    settle_again boolean NOT NULL DEFAULT false,
    searched_to bigint
  );
  CREATE INDEX payment_checks_next_at ON payment_checks (next_at);
  CREATE INDEX payment_checks_payer ON payment_checks (payer);
  CREATE TABLE wallets (
    address text PRIMARY KEY CHECK (${isHex('address', 40)}),
    settled_micros bigint NOT NULL DEFAULT 0 CHECK (settled_micros >= 0),
    accrued_micros bigint NOT NULL DEFAULT 0 CHECK (accrued_micros >= 0),
    calls integer NOT NULL DEFAULT 0,
    unpaid_calls integer NOT NULL DEFAULT 0,
    event_seq bigint NOT NULL DEFAULT 0,
    first_payment_at timestamptz,
    last_payment_at timestamptz,
    earned_micros bigint NOT NULL DEFAULT 0 CHECK (earned_micros >= 0)
  ) WITH (fillfactor = 60)`;

// Encrypted bytes and signatures do not compress: trying costs time and gains nothing. The answer to one habit and its receipt
// would just be too long to stay in their row. A signature is different each time, so a repeat gets the one that was given.
const ANSWERS = `
  CREATE TABLE payment_answers (
    payment_id uuid PRIMARY KEY,
    status smallint NOT NULL,
    body bytea STORAGE EXTERNAL NOT NULL,
    engine_version text NOT NULL,
    expires_at timestamptz NOT NULL,
    credit_token bytea,
    receipt text STORAGE EXTERNAL,
    delivered_receipt text STORAGE EXTERNAL
  ) WITH (toast_tuple_target = 4080);
  CREATE INDEX payment_answers_expires_at ON payment_answers (expires_at);
  CREATE TABLE credit_answers (
    credit_id uuid PRIMARY KEY,
    idempotency_key text,
    fingerprint text NOT NULL,
    body bytea STORAGE EXTERNAL NOT NULL,
    engine_version text NOT NULL,
    expires_at timestamptz NOT NULL,
    receipt text STORAGE EXTERNAL
  );
  CREATE INDEX credit_answers_expires_at ON credit_answers (expires_at)`;

// A token is money to its holder: only its SHA-256 is here. What a credit paid for is known for good: beside a payment, the same
// request once more must not cost it.
const CREDITS = `
  CREATE TABLE credits (
    id uuid PRIMARY KEY,
    token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    payer text NOT NULL CHECK (payer ~ '^0x[0-9a-f]{40}$'),
    earned_by uuid NOT NULL UNIQUE,
    face_micros bigint NOT NULL CHECK (face_micros > 0),
    tier text NOT NULL,
    accrued_after_micros bigint NOT NULL CHECK (accrued_after_micros >= 0),
    issued_at timestamptz NOT NULL,
    expires_at timestamptz,
    redeemed_at timestamptz,
    call_id uuid,
    change_micros bigint CHECK (change_micros BETWEEN 0 AND face_micros),
    fingerprint text,
    CHECK (num_nulls(redeemed_at, call_id, change_micros) IN (0, 3))
  );
  CREATE INDEX credits_payer ON credits (payer);
  CREATE TABLE calls (
    id uuid PRIMARY KEY,
    payment_id uuid UNIQUE,
    endpoint text NOT NULL,
    request_id text NOT NULL,
    served_at timestamptz NOT NULL,
    credit_id uuid,
    unsettled boolean NOT NULL DEFAULT false,
    CHECK (num_nonnulls(payment_id, credit_id) = 1)
  );
  CREATE UNIQUE INDEX calls_credit_id_key ON calls (credit_id) WHERE credit_id IS NOT NULL;
  CREATE INDEX calls_unsettled ON calls (served_at) WHERE unsettled`;

/** Payments, credits and events of the gateway, as of its first release. */
export class CreateLedger1795885200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [PAYMENTS, ANSWERS, CREDITS]) await runner.query(tables);
    await createUnnumberedOutbox(runner);
    await createOperatorActions(runner);
    await runner.query(CREATE_AUDIT_VIEWS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP SCHEMA audit CASCADE`);
    await dropOperatorActions(runner);
    await dropUnnumberedOutbox(runner);
    await runner.query(`DROP TABLE calls, credits, credit_answers, payment_answers, wallets,
      payment_checks, payment_transfers, payments, facilitator_wordings`);
  }
}
