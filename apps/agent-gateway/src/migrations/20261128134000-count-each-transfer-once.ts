import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountEachTransferOnce1795873200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A table of its own: an index on columns of payments would make every settlement write all indexes of its row again.
    await runner.query(`
      CREATE TABLE payment_transfers (
        chain_id integer NOT NULL,
        transaction_hash text NOT NULL CHECK (transaction_hash = lower(transaction_hash)),
        log_index integer NOT NULL CHECK (log_index >= -1),
        payment_id uuid NOT NULL UNIQUE,
        PRIMARY KEY (chain_id, transaction_hash, log_index)
      )`);
    await runner.query(`ALTER TABLE calls ADD COLUMN unsettled boolean NOT NULL DEFAULT false`);
    await runner.query(`CREATE INDEX calls_unsettled ON calls (served_at) WHERE unsettled`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN unsettled`);
    await runner.query(`DROP TABLE payment_transfers`);
  }
}
