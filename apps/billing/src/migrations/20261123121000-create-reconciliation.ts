import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the last reconciliation found; a plan whose price differs from that of the provider cannot be bought. */
export class CreateReconciliation1795435800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE provider_differences (
        kind text NOT NULL,
        subject text NOT NULL,
        detail text NOT NULL,
        found_at timestamptz NOT NULL,
        PRIMARY KEY (kind, subject)
      )`);
    await runner.query(
      `CREATE TABLE reconciliations (finished_at timestamptz PRIMARY KEY, differences integer NOT NULL)`,
    );
    // Customers whom the provider still knows, of users who may have left.
    await runner.query(`CREATE INDEX customers_there ON customers (user_id) WHERE deleted_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX customers_there');
    await runner.query('DROP TABLE reconciliations, provider_differences');
  }
}
