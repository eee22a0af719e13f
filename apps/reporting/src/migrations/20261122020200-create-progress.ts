import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the worker has come, for the process that answers questions, and requests to restart. */
export class CreateProgress1795312920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE progress (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        caught_up_at timestamptz NOT NULL DEFAULT now(),
        checked_at timestamptz,
        unread bigint NOT NULL DEFAULT 0,
        applied bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10)`);
    await runner.query(`COMMENT ON COLUMN progress.caught_up_at IS
      'Everything that the stream held at this moment is applied'`);
    await runner.query(`COMMENT ON COLUMN progress.checked_at IS
      'When a worker last compared what is applied with the end of the stream'`);
    await runner.query(`INSERT INTO progress DEFAULT VALUES`);
    await runner.query(`
      CREATE TABLE rebuilds (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        requested_at timestamptz NOT NULL DEFAULT now(),
        emptied_at timestamptz,
        rewound_at timestamptz
      )`);
    await runner.query(`CREATE INDEX rebuilds_open ON rebuilds (id) WHERE rewound_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rebuilds, progress');
  }
}
