import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCredits1795273200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A token is money to its holder: only its SHA-256 is here.
    await runner.query(`
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
        CHECK (num_nulls(redeemed_at, call_id, change_micros) IN (0, 3))
      )`);
    await runner.query(`CREATE INDEX credits_payer ON credits (payer)`);
    await runner.query(`
      CREATE TABLE credit_answers (
        credit_id uuid PRIMARY KEY,
        idempotency_key text NOT NULL,
        fingerprint text NOT NULL,
        body bytea NOT NULL,
        engine_version text NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`ALTER TABLE credit_answers ALTER COLUMN body SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX credit_answers_expires_at ON credit_answers (expires_at)`);
    await runner.query(`ALTER TABLE payment_answers ADD COLUMN credit_token bytea`);

    await runner.query(`
      ALTER TABLE calls ALTER COLUMN payment_id DROP NOT NULL, ADD COLUMN credit_id uuid,
        ADD CHECK (num_nonnulls(payment_id, credit_id) = 1)`);
    await runner.query(`CREATE UNIQUE INDEX calls_credit_id_key ON calls (credit_id) WHERE credit_id IS NOT NULL`);

    await runner.query(`
      ALTER TABLE wallets ADD COLUMN earned_micros bigint NOT NULL DEFAULT 0 CHECK (earned_micros >= 0)`);
    // From here on a claim leaves a wallet behind: its settlement has a row to lock.
    await runner.query(`INSERT INTO wallets (address) SELECT DISTINCT payer FROM payments ON CONFLICT DO NOTHING`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE wallets DROP COLUMN earned_micros`);
    await runner.query(`DELETE FROM calls WHERE payment_id IS NULL`);
    await runner.query(`ALTER TABLE calls DROP COLUMN credit_id, ALTER COLUMN payment_id SET NOT NULL`);
    await runner.query(`ALTER TABLE payment_answers DROP COLUMN credit_token`);
    await runner.query(`DROP TABLE credit_answers, credits`);
  }
}
