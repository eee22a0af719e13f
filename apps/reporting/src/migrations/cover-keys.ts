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

/** The latest version of each user, the movements and the invoices of a window are read from the indexes alone. */
export class CoverSubscriptions1795932000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const read = 'day, plans, active, past_due, trialing, scheduled_to_cancel, granted_until';
    await replaceKey(runner, 'subscription_versions', `(user_id, version) INCLUDE (${read})`);
    await runner.query(`
      CREATE INDEX subscription_versions_moved ON subscription_versions (day)
      INCLUDE (user_id, version, movement, movement_micros) WHERE movement IS NOT NULL`);
    await replaceNewest(runner, 'INCLUDE (amount_micros, tax_micros)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceNewest(runner, '');
    await runner.query('DROP INDEX subscription_versions_moved');
    await replaceKey(runner, 'subscription_versions', '(user_id, version)');
  }
}

async function replaceNewest(runner: QueryRunner, included: string): Promise<void> {
  await runner.query('DROP INDEX invoices_newest');
  await runner.query(`CREATE INDEX invoices_newest ON invoices (paid_at, id) ${included}`);
}

/** Made apart and put in its place: readers do not wait for it. */
async function replaceKey(runner: QueryRunner, table: string, key: string): Promise<void> {
  await runner.query(`CREATE UNIQUE INDEX ${table}_key ON ${table} ${key}`);
  await runner.query(`
    ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey,
      ADD CONSTRAINT ${table}_pkey PRIMARY KEY USING INDEX ${table}_key`);
}
