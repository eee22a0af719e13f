import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payers of a day are counted from the index alone, which has them in order: the rows themselves are not read. */
export class CoverWalletDays1795921200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceKey(runner, 'INCLUDE (paid_calls, settled_calls)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceKey(runner, '');
  }
}

/** Made apart and put in its place: readers do not wait for it. */
async function replaceKey(runner: QueryRunner, included: string): Promise<void> {
  await runner.query(`CREATE UNIQUE INDEX wallet_days_key ON wallet_days (day, wallet, endpoint) ${included}`);
  await runner.query(`
    ALTER TABLE wallet_days DROP CONSTRAINT wallet_days_pkey,
      ADD CONSTRAINT wallet_days_pkey PRIMARY KEY USING INDEX wallet_days_key`);
}
