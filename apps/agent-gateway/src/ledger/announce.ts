import { uuidv7 } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';

interface EventClass<Data> {
  new (): Data;
  readonly type: string;
  readonly stream: string;
}

/** Writes an event into the outbox with the wallet's next number; the wallet's row is locked until the commit. */
export async function announce<Data>(
  tx: EntityManager,
  event: EventClass<Data>,
  { wallet, subject, occurredAt, data }: { wallet: string; subject: string; occurredAt: Date; data: Data },
): Promise<void> {
  await tx.query(
    `WITH numbered AS (
       INSERT INTO wallets AS w (address, event_seq) VALUES ($1, 1)
       ON CONFLICT (address) DO UPDATE SET event_seq = w.event_seq + 1 RETURNING event_seq
     )
     INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT $2, $3, $1, event_seq, $4, $5, $6, $7 FROM numbered`,
    [wallet, uuidv7(occurredAt), event.stream, event.type, subject, occurredAt, JSON.stringify(data)],
  );
}
