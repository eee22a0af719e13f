import { randomBytes } from 'node:crypto';
import { EVENT_EXAMPLES, PaymentSettled } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';

const { data } = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!;

export function someWallets(count: number): string[] {
  return Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);
}

/** Writes one settled payment for each wallet and round into the outbox, numbered as the ledger does, in one transaction. */
export async function announcePayments(
  { dataSource }: TestDatabase,
  wallets: readonly string[],
  rounds: number,
): Promise<void> {
  await dataSource.query(
    `WITH numbered AS (
       INSERT INTO wallets AS w (address, event_seq) SELECT address, $2 FROM unnest($1::text[]) AS address
       ON CONFLICT (address) DO UPDATE SET event_seq = w.event_seq + $2 RETURNING address, event_seq
     ), payment AS (
       SELECT address, event_seq - $2 + round AS aggregate_seq, gen_random_uuid() AS id
       FROM numbered CROSS JOIN generate_series(1, $2) AS round
     )
     INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT gen_random_uuid(), $3, address, aggregate_seq, $4, id, now(),
       $5::jsonb || jsonb_build_object('paymentId', id, 'wallet', address)
     FROM payment ORDER BY aggregate_seq, address`,
    [wallets, rounds, PaymentSettled.stream, PaymentSettled.type, JSON.stringify(data)],
  );
}

/** How many events of an outbox were published, and how many wait. */
export async function outboxOf({ dataSource }: TestDatabase): Promise<{ published: number; waiting: number }> {
  const [counts] = await dataSource.query<[{ published: number; waiting: number }]>(
    'SELECT count(published_at)::integer AS published, (count(*) - count(published_at))::integer AS waiting FROM outbox',
  );
  return counts;
}
