import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What analyses leave behind: the count of a month, and insights, one of a code and day for each habit. */
export class CreateAnalysis1795421100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage_months (
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        period text NOT NULL CHECK (period ~ '^\\d{4}-(0[1-9]|1[0-2])$'),
        used integer NOT NULL CHECK (used >= 0),
        version integer NOT NULL CHECK (version >= used),
        PRIMARY KEY (user_id, period)
      )`);
    await runner.query(`
      CREATE TABLE insights (
        id uuid NOT NULL,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        habit_id uuid NOT NULL REFERENCES habits ON DELETE CASCADE,
        kind text NOT NULL,
        code text NOT NULL,
        severity text NOT NULL CHECK (severity IN ('info', 'warning')),
        title text NOT NULL,
        body text NOT NULL,
        evidence json NOT NULL,
        period_from date NOT NULL,
        period_to date NOT NULL,
        free_readable boolean NOT NULL,
        local_date date NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (user_id, id),
        UNIQUE (habit_id, code, local_date)
      )`);
    await runner.query(`CREATE INDEX insights_newest ON insights (user_id, created_at DESC, id DESC)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE insights, usage_months`);
  }
}
