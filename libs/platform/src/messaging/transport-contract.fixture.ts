import { randomUUID } from 'node:crypto';
import { EVENT_HEADERS } from '@evenkeel/contracts';
import { eventually } from '../testing';
import type { EventMessage, ReceivedMessage } from './cloud-events';
import type { Deliver, EventTransport } from './event-transport.port';

interface TransportWorld {
  transport: EventTransport;
  /** A topic of its own for each test. */
  newTopic(): Promise<string>;
}

/** The contract of every transport; runs in a suite of the adapter. */
export function transportContract(world: () => TransportWorld): void {
  let topic: string;
  beforeEach(async () => (topic = await world().newTopic()));

  const publish = (messages: EventMessage[]) => world().transport.publish(messages);
  const subscribe = (group: string, deliver: Deliver) => world().transport.subscribe(group, [topic], deliver);
  const some = (key: string, values: number[]) => values.map((value) => aMessage(topic, key, String(value)));

  it('carries key, headers and value as they are', async () => {
    const message = {
      ...aMessage(topic, 'Schlüssel', '{"a": "ä"}'),
      headers: { ce_id: randomUUID(), ce_source: '/shop', note: 'grün' },
    };
    const received = new Received();
    await publish([message]);
    const reader = subscribe('whole', received.deliver);
    await received.receives(1);
    await reader.stop();
    expect(received.messages).toMatchObject([message]);
  });

  it('keeps the order of a key, over many batches', async () => {
    const keys = ['a', 'b', 'c'];
    const sent = Array.from({ length: 1_200 }, (_, turn) => aMessage(topic, keys[turn % 3]!, String(turn)));
    await publish(sent.slice(0, 500));
    await publish(sent.slice(500));
    const received = new Received();
    const reader = subscribe('order', received.deliver);
    await received.receives(1_200);
    await reader.stop();
    for (const key of keys) {
      const values = sent.filter((message) => message.key === key).map(({ value }) => value);
      expect(received.valuesOf(key)).toEqual(values);
    }
    expect(received.largest).toBeLessThanOrEqual(500);
  });

  it('broadcasts to every partition, beside the order of keys', async () => {
    await publish(some('a', [1]));
    const received = new Received();
    const reader = subscribe('broadcast', received.deliver);
    await received.receives(1);
    const { transport } = world();
    await transport.broadcast({ ...aMessage(topic, '', 'here'), headers: { ce_type: 'stream.heartbeat' } });
    const positions = await transport.positions('broadcast', topic);
    const partitions = positions.map(({ partition }) => partition).sort((one, other) => one - other);
    await received.receives(1 + partitions.length);
    await publish(some('a', [2]));
    await received.receives(2 + partitions.length);
    await reader.stop();
    const heard = received.messages.filter(({ headers }) => headers['ce_type'] === 'stream.heartbeat');
    expect(heard.map(({ partition }) => partition).sort((one, other) => one - other)).toEqual(partitions);
    expect(heard.map(({ value }) => value)).toEqual(partitions.map(() => 'here'));
    expect(received.valuesOf('a')).toEqual(['1', '2']);
  });

  it('gives every group all messages, from the first one on', async () => {
    await publish(some('a', [1, 2]));
    for (const group of ['early', 'late']) {
      const received = new Received();
      const reader = subscribe(group, received.deliver);
      await received.receives(2);
      await reader.stop();
      expect(received.valuesOf('a')).toEqual(['1', '2']);
    }
  });

  it('goes on where the group has stopped', async () => {
    const before = new Received();
    await publish(some('a', [1, 2]));
    const reader = subscribe('resuming', before.deliver);
    await before.receives(2);
    await reader.stop();

    await publish(some('a', [3]));
    const after = new Received();
    const next = subscribe('resuming', after.deliver);
    await after.receives(1);
    await next.stop();
    expect(after.valuesOf('a')).toEqual(['3']);
  });

  it('delivers a batch again when it was refused', async () => {
    const received = new Received();
    let refusals = 2;
    const reader = subscribe('refusing', async (batch) => {
      if (refusals-- > 0) throw new Error('not now');
      await received.deliver(batch);
    });
    await publish(some('a', [1, 2, 3]));
    await received.receives(3);
    await reader.stop();
    expect(received.valuesOf('a')).toEqual(['1', '2', '3']);
  });

  it('receives what is published later, and stops after the batch at hand', async () => {
    const received = new Received();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let entered = false;
    const reader = subscribe('stopping', async (batch) => {
      entered = true;
      await held;
      await received.deliver(batch);
    });
    await publish(some('a', [1]));
    await eventually(() => entered, { withinMs: 20_000 });
    const stopped = reader.stop();
    letGo();
    await stopped;
    expect(received.valuesOf('a')).toEqual(['1']);
    expect(reader.isAlive()).toBe(true);
  });

  it('drains what a group has not read, once', async () => {
    await publish(some('a', [1, 2]));
    const first = new Received();
    await world().transport.drain('drainer', topic, first.deliver);
    const second = new Received();
    await world().transport.drain('drainer', topic, second.deliver);
    expect([first.valuesOf('a'), second.valuesOf('a')]).toEqual([['1', '2'], []]);
  });

  it('rejects when a drained batch is refused, and leaves it unread', async () => {
    await publish(some('a', [1]));
    const refuse = () => Promise.reject(new Error('not now'));
    await expect(world().transport.drain('drainer', topic, refuse)).rejects.toThrow('not now');
    const received = new Received();
    await world().transport.drain('drainer', topic, received.deliver);
    expect(received.valuesOf('a')).toEqual(['1']);
  });

  it('reports how far a group has come', async () => {
    const unread = async () => {
      const positions = await world().transport.positions('following', topic);
      return positions.filter(({ next, end }) => next < end).length;
    };
    // A busy broker cannot answer for a new topic before it leads it.
    await eventually(unread, { withinMs: 20_000 });
    expect(await unread()).toBe(0);
    await publish(some('a', [1, 2]));
    expect(await unread()).toBe(1);
    const received = new Received();
    const reader = subscribe('following', received.deliver);
    await eventually(async () => expect(await unread()).toBe(0), { withinMs: 20_000 });
    await reader.stop();
    expect(received.valuesOf('a')).toEqual(['1', '2']);
    await publish(some('a', [3]));
    expect(await unread()).toBe(1);
  });

  it('starts from the first message after a rewind', async () => {
    await publish(some('a', [1, 2]));
    await world().transport.drain('rebuilding', topic, new Received().deliver);
    await world().transport.rewind('rebuilding');
    const received = new Received();
    const reader = subscribe('rebuilding', received.deliver);
    await received.receives(2);
    await expect(world().transport.rewind('rebuilding')).rejects.toThrow();
    await reader.stop();
    expect(received.valuesOf('a')).toEqual(['1', '2']);
  });

  it('rewinds a group that never read', async () => {
    await expect(world().transport.rewind(randomUUID())).resolves.toBeUndefined();
  });
}

function aMessage(topic: string, key: string, value: string): EventMessage {
  return { topic, key, headers: { [EVENT_HEADERS.id]: randomUUID(), [EVENT_HEADERS.source]: '/shop' }, value };
}

class Received {
  readonly messages: ReceivedMessage[] = [];
  largest = 0;

  readonly deliver: Deliver = async ({ messages }) => {
    this.messages.push(...messages);
    this.largest = Math.max(this.largest, messages.length);
  };

  valuesOf(key: string): string[] {
    return this.messages.filter((message) => message.key === key).map(({ value }) => value);
  }

  async receives(count: number): Promise<void> {
    await eventually(() => expect(this.messages.length).toBeGreaterThanOrEqual(count), { withinMs: 20_000 });
  }
}
