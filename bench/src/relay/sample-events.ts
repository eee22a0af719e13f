import { EVENT_EXAMPLES, PaymentSettled } from '@evenkeel/contracts';
import { createInbox, createOutbox, dropInbox, dropOutbox, type MessagingLog } from '@evenkeel/platform/messaging';
import type { ClientBase } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEventTables1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropInbox(runner);
    await dropOutbox(runner);
  }
}

/** What the gateway announces most. */
export const SAMPLE = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!;

export const SOURCE = '/agent-gateway';
export const WALLETS = 1_000;

/** Shown when the run fails. */
export const toStandardError: MessagingLog = { warn: console.error, error: console.error };

/** Announces payments of 1,000 new wallets, numbered and identified as the ledger does. */
export async function fillOutbox(client: ClientBase, topic: string, events: number): Promise<void> {
  await client.query(
    `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT uuidv7(), $1, '0x' || rpad(md5($1 || n % $3), 40, '0'), n / $3 + 1, $4, gen_random_uuid(), now(), $5::jsonb
     FROM generate_series(0, $2 - 1) AS n ORDER BY n`,
    [topic, events, WALLETS, SAMPLE.event.type, JSON.stringify(SAMPLE.data)],
  );
  await client.query('VACUUM ANALYZE outbox');
}
