import type { DataSource, EntityManager } from 'typeorm';
import { retrySerialization } from '../../persistence';
import { isPlaced, readEvent } from '../cloud-events';
import type { ConsumerCrashPoint } from '../crash-point';
import type { EventEnvelope } from '../event-envelope';
import type { ReceivedMessage } from '../event-message';
import { Dispatcher } from './dispatcher';
import type { AnyConsumer } from './event-consumer';
import { insertSeen, lockPositions } from './inbox-rows';
import { firstParked, park, parkedAmong, unpark } from './parked-rows';
import { SequenceGap } from './sequence-gap';

export interface InboxOptions {
  dataSource: DataSource;
  /** Name of the subscription, the `consumer` of its tables. */
  name: string;
  consumers: readonly AnyConsumer[];
  /** For tests: told of each step after which the process may die. */
  passed?: (point: ConsumerCrashPoint) => void;
}

/** What of a delivery is still to be done. */
interface Sorted {
  next: EventEnvelope<unknown>[];
  waiting: ReceivedMessage[];
  /** Last number of each aggregate once `next` is applied. */
  positions: Map<string, number>;
}

/** Applies each event once and in the order of its key, in the transaction that remembers it. */
export class Inbox {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly options: InboxOptions) {
    this.dispatcher = new Dispatcher(options.consumers);
  }

  /**
   * All of them in one transaction. What was applied before is skipped; what waits behind a parked event is parked.
   * @throws SequenceGap, MalformedEvent, InvalidEventData, or what a consumer throws: then nothing has happened
   */
  async accept(messages: readonly ReceivedMessage[]): Promise<void> {
    await retrySerialization(() =>
      this.options.dataSource.transaction(async (tx) => {
        const sorted = await this.sort(tx, messages, { passParked: true });
        if (sorted.waiting.length > 0) await park(tx, this.options.name, sorted.waiting);
        await this.apply(tx, sorted);
      }),
    );
  }

  /**
   * Applies the first parked event of an aggregate and frees its place.
   * @returns whether there was one
   */
  async acceptParked(aggregate: string): Promise<boolean> {
    const { dataSource, name } = this.options;
    return dataSource.transaction(async (tx) => {
      // Before the look at what is parked: an event that arrives now waits here, and sees what is left.
      await lockPositions(tx, name, [aggregate]);
      const message = await firstParked(tx, name, aggregate);
      if (!message) return false;
      await this.apply(tx, await this.sort(tx, [message], { passParked: false }));
      await unpark(tx, name, message);
      return true;
    });
  }

  /** The event could not be applied: it and what follows in its aggregate wait for a replay. */
  async parkFailed(message: ReceivedMessage, reason: string): Promise<void> {
    // What says neither aggregate nor number belongs nowhere: the dead letter is all that is kept of it.
    if (!isPlaced(message)) return;
    const { dataSource, name } = this.options;
    await dataSource.transaction(async (tx) => {
      await lockPositions(tx, name, [message.key]);
      await park(tx, name, [message], reason);
    });
  }

  private async sort(
    tx: EntityManager,
    messages: readonly ReceivedMessage[],
    { passParked }: { passParked: boolean },
  ): Promise<Sorted> {
    const { name } = this.options;
    const events = messages.map(readEvent);
    const aggregates = [...new Set(events.map(({ key }) => key))];
    const last = await lockPositions(tx, name, aggregates);
    const parked = passParked ? await parkedAmong(tx, name, aggregates) : new Set<string>();
    const sorted: Sorted = { next: [], waiting: [], positions: new Map() };
    for (const [index, event] of events.entries()) {
      const expected = last.get(event.key)! + 1;
      if (event.sequence < expected) continue;
      if (parked.has(event.key)) {
        sorted.waiting.push(messages[index]!);
        continue;
      }
      if (event.sequence > expected) throw new SequenceGap(expected, event.sequence);
      last.set(event.key, event.sequence);
      sorted.positions.set(event.key, event.sequence);
      sorted.next.push(event);
    }
    return sorted;
  }

  private async apply(tx: EntityManager, { next, positions }: Sorted): Promise<void> {
    const { name, passed } = this.options;
    const ids = next.map(({ id }) => id);
    const unseen = await insertSeen(tx, name, ids, positions);
    passed?.('inbox_inserted');
    // The same event may be in the delivery twice: the first takes its mark.
    const fresh = next.filter(({ id }) => unseen.delete(id));
    await this.dispatcher.dispatch(fresh, tx);
    passed?.('applied');
  }
}
