import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables whose `client_id` may be the id of an operation, which its caller does not know. */
const NAMED_TABLES = ['habits', 'habit_logs', 'deletions'];

/**
 * Records say when they changed and what their device calls them; habits have an order and a colour. A log that never changed has no
 * `updated_at`: it is that of its creation.
 */
export class SyncRecords1795871700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of NAMED_TABLES) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN client_id_given boolean NOT NULL DEFAULT true`);
    }
    await runner.query(`ALTER TABLE habit_logs ADD COLUMN updated_at timestamptz`);
    await runner.query(`
      ALTER TABLE habits ADD COLUMN sort_order integer, ADD COLUMN color text CHECK (color ~ '^#[0-9a-f]{6}$')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE habits DROP COLUMN sort_order, DROP COLUMN color`);
    await runner.query(`ALTER TABLE habit_logs DROP COLUMN updated_at`);
    for (const table of NAMED_TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN client_id_given`);
  }
}
