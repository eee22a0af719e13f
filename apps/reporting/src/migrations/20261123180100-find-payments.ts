import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators look for payments by, and what each of them went through. */
export class FindPayments1795456860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments ADD nonce text`);
    await runner.query(`COMMENT ON COLUMN payments.nonce IS 'Null for payments from before events named it'`);
    await runner.query(`COMMENT ON COLUMN payments.served IS
      'The buyer has the result; of settled payments without a nonce it is not known'`);
    // Hashes: exact texts of up to 66 characters, that nobody sorts.
    for (const column of ['nonce', 'transaction_hash', 'request_id']) {
      await runner.query(`CREATE INDEX payments_${column} ON payments USING hash (${column})`);
    }
    for (const column of ['wallet', 'endpoint']) {
      await runner.query(`CREATE INDEX payments_${column} ON payments (${column}, verified_at, id)`);
    }
    await runner.query(`CREATE INDEX credits_payment ON credits (payment_id)`);
    await runner.query(`
      CREATE TABLE payment_states (
        payment_id uuid NOT NULL,
        state text NOT NULL,
        at timestamptz NOT NULL,
        transaction_hash text,
        reason text,
        PRIMARY KEY (payment_id, state, at)
      )`);
    await runner.query(
      `COMMENT ON TABLE payment_states IS 'States that were announced, but for settled: that is in payments'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payment_states');
    await runner.query(`DROP INDEX credits_payment, payments_endpoint, payments_wallet, payments_request_id,
      payments_transaction_hash, payments_nonce`);
    await runner.query('ALTER TABLE payments DROP nonce');
    await runner.query(`COMMENT ON COLUMN payments.served IS
      'The buyer is known to have had the result before the settlement was; events of settled payments do not say it'`);
  }
}
