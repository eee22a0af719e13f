import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RememberChainSearches1795341900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payment_checks ADD COLUMN searched_to bigint`);
    // Refused payments whose authorization is valid for centuries would wait as long for their last check.
    await runner.query(`UPDATE payment_checks SET next_at = now() WHERE next_at > now() + interval '25 hours'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payment_checks DROP COLUMN searched_to`);
  }
}
