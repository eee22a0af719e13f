import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepReceipts1795312800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A signature is different each time, so a repeat gets the one that was given. Its text does not compress either.
    await runner.query(`ALTER TABLE payment_answers ADD COLUMN receipt text, ADD COLUMN delivered_receipt text`);
    await runner.query(`
      ALTER TABLE payment_answers ALTER COLUMN receipt SET STORAGE EXTERNAL,
        ALTER COLUMN delivered_receipt SET STORAGE EXTERNAL`);
    await runner.query(`ALTER TABLE credit_answers ADD COLUMN receipt text`);
    await runner.query(`ALTER TABLE credit_answers ALTER COLUMN receipt SET STORAGE EXTERNAL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE credit_answers DROP COLUMN receipt`);
    await runner.query(`ALTER TABLE payment_answers DROP COLUMN receipt, DROP COLUMN delivered_receipt`);
  }
}
