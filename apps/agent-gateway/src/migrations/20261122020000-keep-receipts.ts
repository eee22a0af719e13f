import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepReceipts1795312800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A signature is different each time, so a repeat gets the one that was given. Its text does not compress either.
    await runner.query(`ALTER TABLE payment_answers ADD COLUMN receipt text, ADD COLUMN delivered_receipt text`);
    await runner.query(`
      ALTER TABLE payment_answers ALTER COLUMN receipt SET STORAGE EXTERNAL,
        ALTER COLUMN delivered_receipt SET STORAGE EXTERNAL`);
    // The answer to one habit and its receipt would just be too long to stay in their row.
    await runner.query(`ALTER TABLE payment_answers SET (toast_tuple_target = 4080)`);
    await runner.query(`ALTER TABLE credit_answers ADD COLUMN receipt text`);
    await runner.query(`ALTER TABLE credit_answers ALTER COLUMN receipt SET STORAGE EXTERNAL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE credit_answers DROP COLUMN receipt`);
    await runner.query(`ALTER TABLE payment_answers DROP COLUMN receipt, DROP COLUMN delivered_receipt`);
    await runner.query(`ALTER TABLE payment_answers RESET (toast_tuple_target)`);
  }
}
