import type { ClientBase } from 'pg';
import { SAMPLE, WALLETS } from './sample-event';

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
