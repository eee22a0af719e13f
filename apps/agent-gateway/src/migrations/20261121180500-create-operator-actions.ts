import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people did by hand. Rows are added and never changed: a trigger refuses every other statement. */
export class CreateOperatorActions1795284300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_actions (
        id uuid PRIMARY KEY,
        occurred_at timestamptz NOT NULL,
        operator text NOT NULL CHECK (operator <> ''),
        action text NOT NULL,
        step text NOT NULL CHECK (step IN ('begun', 'done', 'unchanged', 'refused')),
        subject text NOT NULL,
        arguments jsonb NOT NULL,
        note text,
        before jsonb,
        after jsonb
      )`);
    await runner.query(`CREATE INDEX operator_actions_subject ON operator_actions (subject)`);
    await runner.query(`
      CREATE FUNCTION refuse_to_change_operator_actions() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'operator_actions is append-only';
      END $$`);
    await runner.query(`
      CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_actions()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operator_actions`);
    await runner.query(`DROP FUNCTION refuse_to_change_operator_actions()`);
  }
}
