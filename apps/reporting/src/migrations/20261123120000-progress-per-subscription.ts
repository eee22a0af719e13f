import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Progress and rebuilds are those of one subscription, so that the database can follow further streams. */
export class ProgressPerSubscription1795435200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE progress ADD subscription text NOT NULL DEFAULT 'reporting'`);
    await runner.query(`ALTER TABLE progress ALTER subscription DROP DEFAULT, DROP single`);
    await runner.query(`ALTER TABLE progress ADD PRIMARY KEY (subscription)`);
    // The default stays: the release before this one names no subscription.
    await runner.query(`ALTER TABLE rebuilds ADD subscription text NOT NULL DEFAULT 'reporting'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM rebuilds WHERE subscription <> 'reporting'`);
    await runner.query(`ALTER TABLE rebuilds DROP subscription`);
    await runner.query(`DELETE FROM progress WHERE subscription <> 'reporting'`);
    await runner.query(`ALTER TABLE progress DROP subscription`);
    await runner.query(`ALTER TABLE progress ADD single boolean PRIMARY KEY DEFAULT true CHECK (single)`);
  }
}
