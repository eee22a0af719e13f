import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payers of a day are counted from the index alone, which has them in order: the rows themselves are not read. */
export class CoverWalletDays1795921200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceKey(runner, 'wallet_days', '(day, wallet, endpoint) INCLUDE (paid_calls, settled_calls)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceKey(runner, 'wallet_days', '(day, wallet, endpoint)');
  }
}

/** The latest version of each user is read from the index alone. */
export class CoverSubscriptionVersions1795932000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const read = 'day, plans, active, past_due, trialing, scheduled_to_cancel, granted_until';
    await replaceKey(runner, 'subscription_versions', `(user_id, version) INCLUDE (${read})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceKey(runner, 'subscription_versions', '(user_id, version)');
  }
}

/** Made apart and put in its place: readers do not wait for it. */
async function replaceKey(runner: QueryRunner, table: string, key: string): Promise<void> {
  await runner.query(`CREATE UNIQUE INDEX ${table}_key ON ${table} ${key}`);
  await runner.query(`
    ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey,
      ADD CONSTRAINT ${table}_pkey PRIMARY KEY USING INDEX ${table}_key`);
}
