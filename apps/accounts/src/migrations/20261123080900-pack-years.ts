import { packedLogs } from '../habits/pack-years';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const CHANGES = {
  habit_logs_added: 'INSERT ON habit_logs REFERENCING NEW TABLE AS changed',
  habit_logs_moved_from: 'UPDATE ON habit_logs REFERENCING OLD TABLE AS changed',
  habit_logs_moved_to: 'UPDATE ON habit_logs REFERENCING NEW TABLE AS changed',
  habit_logs_removed: 'DELETE ON habit_logs REFERENCING OLD TABLE AS changed',
};

/**
 * The logs of past years, packed: one row a habit and year. A reader makes it where it is missing; the database itself
 * forgets it in the transaction that changes a log of that year, so that no writer can leave it behind.
 */
export class PackYears1795421340000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A row of daily logs is 3 kB: it stays beside the others, and nothing is compressed.
    await runner.query(`
      CREATE TABLE packed_years (
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        habit_id uuid NOT NULL REFERENCES habits ON DELETE CASCADE,
        year smallint NOT NULL,
        logs bytea NOT NULL,
        PRIMARY KEY (habit_id, year)
      ) WITH (toast_tuple_target = 8160)`);
    await runner.query(`CREATE INDEX packed_years_of_user ON packed_years (user_id)`);
    await runner.query(`
      CREATE FUNCTION forget_packed_years() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM packed_years p
        USING (SELECT DISTINCT habit_id, extract(year FROM local_date)::smallint AS year FROM changed) c
        WHERE p.habit_id = c.habit_id AND p.year = c.year;
        RETURN NULL;
      END $$`);
    for (const [name, change] of Object.entries(CHANGES)) {
      await runner.query(
        `CREATE TRIGGER ${name} AFTER ${change} FOR EACH STATEMENT EXECUTE FUNCTION forget_packed_years()`,
      );
    }
    await runner.query(`
      CREATE VIEW audit.packed_years AS
      WITH row AS (SELECT * FROM packed_years)
      SELECT habit_id, year, logs = (SELECT made.logs FROM (${packedLogs(
        `user_id = row.user_id AND habit_id = row.habit_id AND local_date >= make_date(row.year, 1, 1) AND local_date < make_date(row.year + 1, 1, 1)`,
      )}) AS made) AS is_as_logs_say
      FROM row`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP VIEW audit.packed_years`);
    for (const name of Object.keys(CHANGES)) await runner.query(`DROP TRIGGER ${name} ON habit_logs`);
    await runner.query(`DROP FUNCTION forget_packed_years`);
    await runner.query(`DROP TABLE packed_years`);
  }
}
