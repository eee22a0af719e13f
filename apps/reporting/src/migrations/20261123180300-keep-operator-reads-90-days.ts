import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of operators also holds wrong tokens; a row may be erased after 90 days, and is never changed. */
export class KeepOperatorReads90Days1795456980000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operator_reads ADD allowed boolean NOT NULL DEFAULT true`);
    await runner.query(
      `COMMENT ON COLUMN operator_reads.allowed IS 'False: the token was wrong, and nothing was shown'`,
    );
    await runner.query(`CREATE INDEX operator_reads_occurred_at ON operator_reads (occurred_at)`);
    await runner.query(`
      CREATE FUNCTION refuse_to_erase_young_operator_reads() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF old.occurred_at > now() - interval '90 days' THEN
          RAISE EXCEPTION 'operator_reads is append-only for 90 days';
        END IF;
        RETURN old;
      END $$`);
    await runner.query('DROP TRIGGER operator_reads_append_only ON operator_reads');
    await runner.query(`
      CREATE TRIGGER operator_reads_append_only BEFORE UPDATE OR TRUNCATE ON operator_reads
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_reads()`);
    await runner.query(`
      CREATE TRIGGER operator_reads_kept BEFORE DELETE ON operator_reads
      FOR EACH ROW EXECUTE FUNCTION refuse_to_erase_young_operator_reads()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER operator_reads_kept ON operator_reads');
    await runner.query('DROP TRIGGER operator_reads_append_only ON operator_reads');
    await runner.query(`
      CREATE TRIGGER operator_reads_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_reads
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_reads()`);
    await runner.query('DROP FUNCTION refuse_to_erase_young_operator_reads()');
    await runner.query('DROP INDEX operator_reads_occurred_at');
    await runner.query('ALTER TABLE operator_reads DROP allowed');
  }
}
