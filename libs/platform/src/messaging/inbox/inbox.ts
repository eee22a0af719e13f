import type { EventClass } from '@evenkeel/contracts';
import type { EntityManager, DataSource } from 'typeorm';
import { EventValidator, isPlaced, readEvent, type EventEnvelope, type ReceivedMessage } from '../cloud-events';
import { retrySerialization } from '../../persistence';
import type { ConsumerCrashPoint } from '../crash-point';
import { insertSeen, lockPositions } from './inbox-rows';
import { startSpan } from '../../observability';
import { firstParked, park, parkedAmong, unpark } from './parked-events';

/** Applies events of some types, each once, in one go. */
export interface EventBatchConsumer {
  /** The name of its work: `billing.project-people`. */
  readonly name: string;
  readonly events: readonly EventClass[];
  /**
   * The events of a key are in their order. When it throws, they come again one at a time: an error that is caught and logged is a lost
   * event. May be called again for the same events when the transaction did not commit.
   * @param tx also holds the marks that the events were seen
   */
  handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void>;
}

/** An event whose predecessor has not arrived. */
class SequenceGap extends Error {
  override readonly name = 'SequenceGap';

  constructor(expected: number, arrived: number) {
    super(`number ${expected} of the aggregate is missing: ${arrived} arrived`);
  }
}

export interface InboxOptions {
  dataSource: DataSource;
  /** Name of the subscription, the `consumer` of its tables. */
  name: string;
  consumers: readonly EventBatchConsumer[];
  /** Called in the transaction before the consumers, with the events that any of them asks for; by default nothing is done. */
  begin?: (events: readonly EventEnvelope<unknown>[], tx: EntityManager) => Promise<void>;
  /** For tests: called after each step at which the process may die. */
  passed?: (point: ConsumerCrashPoint) => void;
}

/** The events of a delivery that are still to be applied. */
interface Sorted {
  next: EventEnvelope<unknown>[];
  waiting: ReceivedMessage[];
  /** Last number of each aggregate once `next` is applied. */
  positions: Map<string, number>;
}

/** Applies each event once and in the order of its key, in the transaction that remembers it. */
export class Inbox {
  private readonly classes: ReadonlyMap<string, EventClass>;
  private readonly validator = new EventValidator();

  constructor(private readonly options: InboxOptions) {
    this.classes = new Map(options.consumers.flatMap(({ events }) => events).map((event) => [event.type, event]));
  }

  /**
   * All of them in one transaction. Events that were applied before are skipped; events behind a parked one are parked.
   * @throws SequenceGap, MalformedEvent, InvalidEventData, or what a consumer throws: then nothing has happened
   */
  async accept(messages: readonly ReceivedMessage[]): Promise<void> {
    const startedAt = new Date();
    const applied = await retrySerialization(() =>
      this.options.dataSource.transaction(async (tx) => {
        const sorted = await this.sort(tx, messages, { passParked: true });
        if (sorted.waiting.length > 0) await park(tx, this.options.name, sorted.waiting);
        return this.apply(tx, sorted);
      }),
    );
    traceApplied(this.options.name, applied, startedAt);
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
    // Without aggregate and number it has no place in an order: only its dead letter is stored.
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

  /** @returns what was applied now */
  private async apply(tx: EntityManager, { next, positions }: Sorted): Promise<EventEnvelope<unknown>[]> {
    const { name, passed } = this.options;
    const ids = next.map(({ id }) => id);
    const unseen = await insertSeen(tx, name, ids, positions);
    passed?.('inbox_inserted');
    // The same event may be in the delivery twice: the first takes its mark.
    const fresh = next.filter(({ id }) => unseen.delete(id));
    await this.dispatch(fresh, tx);
    passed?.('applied');
    return fresh;
  }

  /** An event without a consumer is skipped, unread. @throws InvalidEventData, or what a consumer throws */
  private async dispatch(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    const { consumers, begin } = this.options;
    const asked = events.filter(({ type }) => this.classes.has(type));
    for (const { type, data } of asked) this.validator.check(this.classes.get(type)!, data);
    if (asked.length > 0) await begin?.(asked, tx);
    for (const consumer of consumers) {
      const own = asked.filter(({ type }) => consumer.events.some((event) => event.type === type));
      if (own.length > 0) await consumer.handleAll(own, tx);
    }
  }
}

/**
 * A transaction that applies events of many traces is a trace of its own, with a link to each of them; each event has a span
 * in its own trace.
 */
function traceApplied(subscription: string, events: readonly EventEnvelope<unknown>[], startedAt: Date): void {
  const links = events.flatMap(({ traceparent }) => traceparent ?? []);
  if (links.length === 0) return;
  const attributes = { 'messaging.consumer.group.name': subscription };
  const size = { ...attributes, 'messaging.batch.message_count': events.length };
  const batch = startSpan('apply events', { kind: 'consumer', parent: null, links, attributes: size, startedAt });
  if (!batch) return;
  for (const { type, traceparent: parent } of events) {
    if (parent === undefined) continue;
    startSpan(`apply ${type}`, { kind: 'consumer', parent, links: [batch.traceparent], attributes, startedAt })?.end();
  }
  batch.end();
}
