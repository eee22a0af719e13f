import type { EventClass } from '@evenkeel/contracts';
import type { EntityManager } from 'typeorm';
import type { EventEnvelope } from '../event-envelope';
import { EventReader } from '../event-reader';
import type { AnyConsumer, EventBatchConsumer, EventConsumer } from './event-consumer';

/** Hands events to those who asked for their type. A type that nobody asked for is passed over, unread. */
export class Dispatcher {
  private readonly single: EventConsumer[] = [];
  private readonly batch: EventBatchConsumer[] = [];
  private readonly classes = new Map<string, EventClass>();
  private readonly reader = new EventReader();

  constructor(consumers: readonly AnyConsumer[]) {
    for (const consumer of consumers) {
      if ('handleAll' in consumer) this.batch.push(consumer);
      else this.single.push(consumer);
      for (const event of 'handleAll' in consumer ? consumer.events : [consumer.event])
        this.classes.set(event.type, event);
    }
  }

  /** @throws InvalidEventData, or what a consumer throws */
  async dispatch(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    for (const { type, data } of events) {
      const event = this.classes.get(type);
      if (event) this.reader.check(event, data);
    }
    for (const event of events) {
      for (const consumer of this.single) {
        if (consumer.event.type === event.type) await consumer.handle(event as EventEnvelope<object>, tx);
      }
    }
    for (const consumer of this.batch) {
      const asked = events.filter(({ type }) => consumer.events.some((event) => event.type === type));
      if (asked.length > 0) await consumer.handleAll(asked, tx);
    }
  }
}
