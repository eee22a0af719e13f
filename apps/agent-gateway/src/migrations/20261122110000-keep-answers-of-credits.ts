import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepAnswersOfCredits1795345200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What a credit paid for is known for good: beside a payment, the same request once more must not cost it.
    await runner.query(`ALTER TABLE credits ADD COLUMN fingerprint text`);
    await runner.query(`
      UPDATE credits c SET fingerprint = a.fingerprint FROM credit_answers a WHERE a.credit_id = c.id`);
    await runner.query(`ALTER TABLE credit_answers ALTER COLUMN idempotency_key DROP NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM credit_answers WHERE idempotency_key IS NULL`);
    await runner.query(`ALTER TABLE credit_answers ALTER COLUMN idempotency_key SET NOT NULL`);
    await runner.query(`ALTER TABLE credits DROP COLUMN fingerprint`);
  }
}
