import { randomUUID } from 'node:crypto';
import { EVENT_HEADERS } from '@evenkeel/contracts';
import { eventually } from '../testing';
import type { EventMessage, ReceivedMessage } from './cloud-events';
import type { Deliver, EventTransport, RunningReader } from './event-transport.port';

const DONE = { withinMs: 20_000 };

/** The contract of every transport; runs in a suite of the adapter, each test with a topic of its own. */
export function transportContract(transport: () => EventTransport, newTopic: () => Promise<string>): void {
  let topic: string;
  beforeEach(async () => (topic = await newTopic()));

  const publish = (values: unknown[], key = 'a') =>
    transport().publish(values.map((value) => aMessage(topic, key, String(value))));
  const reading = (group: string) => new Received(transport(), topic, group);
  const drain = async (group: string, deliver?: Deliver) => {
    const values: string[] = [];
    const collect: Deliver = async ({ messages }) => void values.push(...messages.map(({ value }) => value));
    await transport().drain(group, topic, deliver ?? collect);
    return values;
  };

  it('carries key, headers and value as they are, in the order of the key, over many batches', async () => {
    const keys = ['a', 'Schlüssel', 'c'];
    const sent = Array.from({ length: 1_200 }, (_, turn) => aMessage(topic, keys[turn % 3]!, `{"a": "ä${turn}"}`));
    await transport().publish(sent.slice(0, 500));
    await transport().publish(sent.slice(500));
    const received = reading('order');
    await received.all(1_200);
    const of = (messages: readonly EventMessage[], key: string) => messages.filter((message) => message.key === key);
    for (const key of keys) expect(of(received.messages, key)).toMatchObject(of(sent, key));
    expect(received.largest).toBeLessThanOrEqual(500);
  });

  it('broadcasts to every partition, beside the order of keys', async () => {
    await publish([1]);
    const received = reading('broadcast');
    await received.some(1);
    await transport().broadcast({ ...aMessage(topic, '', 'here'), headers: { ce_type: 'stream.heartbeat' } });
    const partitions = (await transport().positions('broadcast', topic)).map(({ partition }) => partition);
    await received.some(1 + partitions.length);
    await publish([2]);
    await received.all(2 + partitions.length);
    const broadcast = received.messages.filter(({ headers }) => headers['ce_type'] === 'stream.heartbeat');
    expect(broadcast.map(({ partition }) => partition).sort()).toEqual(partitions.sort());
    expect(new Set(broadcast.map(({ value }) => value))).toEqual(new Set(['here']));
    expect(received.values).toEqual(['1', '2']);
  });

  it('gives every group all messages from the first one on, and goes on where it has stopped', async () => {
    await publish([1, 2]);
    for (const group of ['early', 'late']) expect(await reading(group).all(2)).toEqual(['1', '2']);
    await publish([3]);
    expect(await reading('early').all(1)).toEqual(['3']);
  });

  it('delivers a batch again when it was refused', async () => {
    const received = reading('refusing');
    received.refusals = 2;
    await publish([1, 2, 3]);
    expect(await received.all(3)).toEqual(['1', '2', '3']);
  });

  it('receives what is published later, and stops after the batch at hand', async () => {
    const received = reading('stopping');
    let letGo = (): void => undefined;
    received.held = new Promise<void>((resolve) => (letGo = resolve));
    await publish([1]);
    await eventually(() => received.largest > 0, DONE);
    const stopped = received.reader.stop();
    letGo();
    await stopped;
    expect([received.values, received.reader.isAlive()]).toEqual([['1'], true]);
  });

  it('drains what a group has not read, once, and leaves unread what is refused', async () => {
    await publish([1, 2]);
    await expect(drain('drainer', () => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    expect([await drain('drainer'), await drain('drainer')]).toEqual([['1', '2'], []]);
  });

  it('reports how far a group has come', async () => {
    const unread = async () => {
      const positions = await transport().positions('following', topic);
      return positions.filter(({ next, end }) => next < end).length;
    };
    // A busy broker cannot answer for a new topic before it leads it.
    await eventually(unread, DONE);
    expect(await unread()).toBe(0);
    await publish([1, 2]);
    expect(await unread()).toBe(1);
    const received = reading('following');
    await eventually(async () => expect(await unread()).toBe(0), DONE);
    expect(await received.all(2)).toEqual(['1', '2']);
    await publish([3]);
    expect(await unread()).toBe(1);
  });

  it('starts from the first message after a rewind, which a group that reads refuses, and a new one takes', async () => {
    await publish([1, 2]);
    await drain('rebuilding');
    await transport().rewind('rebuilding');
    const received = reading('rebuilding');
    await received.some(2);
    await expect(transport().rewind('rebuilding')).rejects.toThrow();
    expect(await received.all(2)).toEqual(['1', '2']);
    await transport().rewind(randomUUID());
  });
}

function aMessage(topic: string, key: string, value: string): EventMessage {
  return { topic, key, headers: { [EVENT_HEADERS.id]: randomUUID(), [EVENT_HEADERS.source]: '/grün' }, value };
}

/** A reader of a group, with all that it has received. */
class Received {
  readonly messages: ReceivedMessage[] = [];
  readonly reader: RunningReader;
  refusals = 0;
  held?: Promise<void>;
  /** Of the batches that came. */
  largest = 0;

  constructor(transport: EventTransport, topic: string, group: string) {
    this.reader = transport.subscribe(group, [topic], async ({ messages }) => {
      this.largest = Math.max(this.largest, messages.length);
      await this.held;
      if (this.refusals-- > 0) throw new Error('not now');
      this.messages.push(...messages);
    });
  }

  /** Of the key of most tests. */
  get values(): string[] {
    return this.messages.filter(({ key }) => key === 'a').map(({ value }) => value);
  }

  async some(count: number): Promise<void> {
    await eventually(() => expect(this.messages.length).toBeGreaterThanOrEqual(count), DONE);
  }

  /** Ends the reader once it has so many. */
  async all(count: number): Promise<string[]> {
    await this.some(count);
    await this.reader.stop();
    return this.values;
  }
}
