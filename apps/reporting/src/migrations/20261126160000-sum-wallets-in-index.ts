import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What some wallets spent in a part of a day is summed in the index, where their payments lie side by side. The rows of a wallet
 * that pays all day lie in all pages of that day, and are read only where these were not vacuumed since.
 */
export class SumWalletsInIndex1795708800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createAgain(runner, 'INCLUDE (status, amount_micros)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.createAgain(runner, '');
  }

  /** The old one is read until the new one is there. */
  private async createAgain(runner: QueryRunner, included: string): Promise<void> {
    await runner.query(`CREATE INDEX payments_wallet_again ON payments (wallet, verified_at, id) ${included}`);
    await runner.query('DROP INDEX payments_wallet');
    await runner.query('ALTER INDEX payments_wallet_again RENAME TO payments_wallet');
  }
}
