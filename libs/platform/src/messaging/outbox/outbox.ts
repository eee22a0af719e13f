import type { EventClass } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';
import { EventValidator } from '../cloud-events';

export interface Announcement<Data> {
  /** The aggregate: events of one key arrive in order. */
  key: string;
  subject: string;
  occurredAt: Date;
  data: Data;
}

/** Writes events in the transaction of the change that they tell of; the relay publishes them after its commit. */
export class Outbox {
  private readonly validator = new EventValidator();

  /**
   * @param tx the transaction of the change; no other transaction can announce for this key until it ends
   * @throws InvalidEventData when the data does not fit its class
   */
  async add<Data extends object>(
    tx: EntityManager,
    event: EventClass<Data>,
    { key, subject, occurredAt, data }: Announcement<Data>,
  ): Promise<void> {
    this.validator.check(event, data);
    await tx.query(
      `WITH numbered AS (
         INSERT INTO outbox_numbers AS n (aggregate, last_seq) VALUES ($1, 1)
         ON CONFLICT (aggregate) DO UPDATE SET last_seq = n.last_seq + 1 RETURNING last_seq
       )
       INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
       SELECT $2, $3, $1, last_seq, $4, $5, $6, $7 FROM numbered`,
      [key, uuidv7(occurredAt), event.stream, event.type, subject, occurredAt, JSON.stringify(data)],
    );
  }
}
