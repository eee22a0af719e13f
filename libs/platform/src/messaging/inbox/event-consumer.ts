import type { EventClass } from '@evenkeel/contracts';
import type { EntityManager } from 'typeorm';
import type { EventEnvelope } from '../cloud-events';

/** Applies the events of one type, each once and in the order of its key. */
export interface EventConsumer<Data extends object = object> {
  /** What it does: `billing.charge-completed-score`. */
  readonly name: string;
  readonly event: EventClass<Data>;
  /**
   * @param tx also holds the mark that the event was seen. Throw to have it tried again: an error that is caught and
   * logged is a lost event. May be called again for the same event when the transaction did not commit.
   */
  handle(event: EventEnvelope<Data>, tx: EntityManager): Promise<void>;
}

/** Applies many events of several types in one go, for projections that write sets of rows. */
export interface EventBatchConsumer {
  readonly name: string;
  readonly events: readonly EventClass[];
  /** The events of a key are in their order. When it throws, they come again one at a time. */
  handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void>;
}

export type AnyConsumer = EventConsumer | EventBatchConsumer;
