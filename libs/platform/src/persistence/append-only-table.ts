import type { QueryRunner } from 'typeorm';

/**
 * For the migration of an app: rows of this table are added and never changed. A trigger refuses every change, also by the owner of the table.
 * @param table a name without quotes, as the migration wrote it
 */
export async function makeAppendOnly(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`
    CREATE FUNCTION refuse_to_change_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '${table} is append-only';
    END $$`);
  await runner.query(`
    CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_${table}()`);
}

/** The opposite, before the table is dropped or rebuilt. */
export async function stopAppendOnly(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`DROP TRIGGER ${table}_append_only ON ${table}`);
  await runner.query(`DROP FUNCTION refuse_to_change_${table}()`);
}
