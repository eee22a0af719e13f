import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who paid first in an hour of a day: without it, each wallet of an hour is looked for among the payers of all days. */
export class FindFirstHours1795687200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX daily_payers_first_call ON daily_payers (day, (call_hours & -call_hours), endpoint)',
    );
    await runner.query(
      'CREATE INDEX daily_payers_first_settlement ON daily_payers (day, (settled_hours & -settled_hours), endpoint)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX daily_payers_first_settlement, daily_payers_first_call');
  }
}
