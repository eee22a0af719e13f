import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators have read. Rows are added and never changed: a trigger refuses every change. */
export class CreateOperatorReads1795314600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Not jsonb: a query is stored as it came, with characters that jsonb refuses.
    await runner.query(`
      CREATE TABLE operator_reads (
        id uuid PRIMARY KEY,
        occurred_at timestamptz NOT NULL,
        path text NOT NULL,
        query json NOT NULL,
        request_id text NOT NULL,
        network text NOT NULL
      )`);
    await runner.query(`
      CREATE FUNCTION refuse_to_change_operator_reads() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'operator_reads is append-only';
      END $$`);
    await runner.query(`
      CREATE TRIGGER operator_reads_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_reads
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_reads()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_reads');
    await runner.query('DROP FUNCTION refuse_to_change_operator_reads()');
  }
}
