import { schemaOf, type EventClass } from '@evenkeel/contracts';
import type { EntityManager, DataSource } from 'typeorm';
import { isPlaced, readEvent, type EventEnvelope, type ReceivedMessage } from '../cloud-events';
import { retrySerialization } from '../../persistence';
import { insertSeen, lockPositions } from './inbox-rows';
import { startSpan } from '../../observability';
import { compileValidator } from '../../validation';
import { park, parkedAmong, unparkFirst } from './parked-events';

/** The steps of a reader between which a process may die; tests make it die there. */
export const CONSUMER_CRASH_POINTS = ['inbox_inserted', 'applied', 'offset'] as const;
export type ConsumerCrashPoint = (typeof CONSUMER_CRASH_POINTS)[number];

type Envelopes = readonly EventEnvelope<unknown>[];

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

/** Data that does not fit its class. The sentence does not repeat it. */
class InvalidEventData extends Error {
  override readonly name = 'InvalidEventData';

  constructor(type: string) {
    super(`the data of ${type} does not fit its class`);
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

/** Applies each event once and in the order of its key, in the transaction that remembers it. */
export class Inbox {
  /** Of each type that a consumer asks for. Members that its class does not have are ignored. */
  private readonly validators: ReadonlyMap<string, (data: unknown) => boolean>;

  constructor(private readonly options: InboxOptions) {
    const events = new Set(options.consumers.flatMap((consumer) => consumer.events));
    const compiled = [...events].map(
      (event) => [event.type, compileValidator(schemaOf(event, { closed: false }))] as const,
    );
    this.validators = new Map(compiled);
  }

  /**
   * All of them in one transaction. Events that were applied before are skipped; events behind a parked one are parked.
   * @throws SequenceGap, MalformedEvent, InvalidEventData, or what a consumer throws: then nothing has happened
   */
  async accept(messages: readonly ReceivedMessage[]): Promise<void> {
    const { dataSource, name } = this.options;
    const startedAt = new Date();
    const applied = await retrySerialization(() =>
      dataSource.transaction((tx) => this.apply(tx, messages, (keys) => parkedAmong(tx, name, keys))),
    );
    traceApplied(name, applied, startedAt);
  }

  /**
   * Applies the first parked event of an aggregate and takes it out of those that are parked.
   * @returns whether there was one
   */
  async acceptParked(aggregate: string): Promise<boolean> {
    const { dataSource, name } = this.options;
    return dataSource.transaction(async (tx) => {
      // Before the look at what is parked: an event that arrives now waits here, and sees what is left.
      await lockPositions(tx, name, [aggregate]);
      const message = await unparkFirst(tx, name, aggregate);
      if (message) await this.apply(tx, [message], async () => new Set());
      return message !== undefined;
    });
  }

  /** The event could not be applied: it and what follows in its aggregate wait for a replay. */
  async parkFailed(message: ReceivedMessage, reason: string): Promise<void> {
    // Without aggregate and number it belongs to no order: only its dead letter is stored.
    if (!isPlaced(message)) return;
    const { dataSource, name } = this.options;
    await dataSource.transaction(async (tx) => {
      await lockPositions(tx, name, [message.key]);
      await park(tx, name, [message], reason);
    });
  }

  /**
   * @param parkedOf aggregates whose events must wait; asked when their positions are locked
   * @returns what was applied now
   */
  private async apply(
    tx: EntityManager,
    messages: readonly ReceivedMessage[],
    parkedOf: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<Envelopes> {
    const { name, passed } = this.options;
    const events = messages.map(readEvent);
    const keys = [...new Set(events.map(({ key }) => key))];
    const last = await lockPositions(tx, name, keys);
    const parked = await parkedOf(keys);
    const next: EventEnvelope<unknown>[] = [];
    const waiting: ReceivedMessage[] = [];
    for (const [index, event] of events.entries()) {
      const expected = last.get(event.key)! + 1;
      if (event.sequence < expected) continue;
      if (parked.has(event.key)) waiting.push(messages[index]!);
      else if (event.sequence > expected) throw new SequenceGap(expected, event.sequence);
      else {
        last.set(event.key, event.sequence);
        next.push(event);
      }
    }
    await park(tx, name, waiting);
    const unseen = await insertSeen(tx, name, next);
    passed?.('inbox_inserted');
    // The same event may be in the delivery twice: the first takes its mark.
    const fresh = next.filter(({ id }) => unseen.delete(id));
    await this.dispatch(fresh, tx);
    passed?.('applied');
    return fresh;
  }

  /** An event without a consumer is skipped, unread. @throws InvalidEventData, or what a consumer throws */
  private async dispatch(events: Envelopes, tx: EntityManager): Promise<void> {
    const { consumers, begin } = this.options;
    const asked = events.filter(({ type }) => this.validators.has(type));
    const unfit = asked.find(({ type, data }) => !this.validators.get(type)!(data));
    if (unfit) throw new InvalidEventData(unfit.type);
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
function traceApplied(subscription: string, events: Envelopes, startedAt: Date): void {
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
