import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the provider says of subscriptions: events as they came, each subscription as their fold, and manual grants. */
export class CreateSubscriptions1795435260000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE customers (
        customer_id text PRIMARY KEY,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        deleted_at timestamptz
      )`);
    await runner.query(`CREATE INDEX customers_of_user ON customers (user_id, created_at DESC)`);

    // The version of what is published of a user; its row is the lock of everything that changes their access.
    await runner.query(`CREATE TABLE access_versions (user_id uuid PRIMARY KEY, version integer NOT NULL)`);

    // Never a payload: only the fact that was read from it, without address, name or card.
    await runner.query(`
      CREATE TABLE provider_events (
        id text PRIMARY KEY,
        type text NOT NULL,
        created timestamptz NOT NULL,
        rank smallint NOT NULL,
        received_at timestamptz NOT NULL,
        customer_id text,
        subscription_id text,
        charge_id text,
        fact jsonb,
        applied boolean NOT NULL,
        reason text
      )`);
    await runner.query(`
      CREATE INDEX provider_events_of_subscription ON provider_events (subscription_id, created, rank, id COLLATE "C")
      WHERE subscription_id IS NOT NULL`);
    await runner.query(`CREATE INDEX provider_events_by_arrival ON provider_events (received_at)`);
    await runner.query(`
      CREATE INDEX provider_events_unmatched ON provider_events (customer_id) WHERE reason = 'unmatched_customer'`);
    await runner.query(`
      CREATE INDEX provider_events_of_charge ON provider_events (charge_id)
      WHERE charge_id IS NOT NULL AND customer_id IS NULL`);
    await runner.query(`
      CREATE INDEX provider_events_of_deletion ON provider_events (customer_id) WHERE type = 'customer.deleted'`);

    await runner.query(`
      CREATE TABLE subscriptions (
        subscription_id text PRIMARY KEY,
        customer_id text,
        user_id uuid,
        state jsonb NOT NULL,
        status text NOT NULL,
        access_until timestamptz,
        last_created timestamptz NOT NULL,
        last_rank smallint NOT NULL,
        last_id text NOT NULL,
        folded_events integer NOT NULL,
        folded_ids bigint NOT NULL,
        changed_at timestamptz NOT NULL
      )`);
    await runner.query(`COMMENT ON COLUMN subscriptions.folded_ids IS
        'Exclusive or of the hashes of the ids of the folded events: equal to that over provider_events'`);
    await runner.query(`CREATE INDEX subscriptions_of_user ON subscriptions (user_id) WHERE user_id IS NOT NULL`);
    await runner.query(`CREATE INDEX subscriptions_of_customer ON subscriptions (customer_id)`);

    await runner.query(`
      CREATE TABLE grants (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL,
        until timestamptz,
        note text NOT NULL,
        granted_at timestamptz NOT NULL,
        revoked_at timestamptz
      )`);
    await runner.query(`CREATE INDEX grants_of_user ON grants (user_id) WHERE revoked_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE grants, subscriptions, provider_events, access_versions, customers');
  }
}
