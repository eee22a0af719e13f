import type { EntityManager } from 'typeorm';
import { eventually } from '../../testing';
import { deadLetterTopic } from '@evenkeel/contracts';
import type { EventEnvelope, ReceivedMessage } from '..';
import { aBox, BoxFilled, BoxPainted, BoxService, fill, itemsOf, parkedIn, silent } from '../messaging.fixture';
import { toMessage } from '../cloud-events';
import { requestReplay } from './parked-events';

jest.setTimeout(30_000);

let boxes: BoxService;
beforeEach(async () => (boxes = await BoxService.open()));
afterEach(() => boxes[Symbol.asyncDispose]());

const arrived = (box: string, items: number[]) =>
  eventually(async () => expect(await itemsOf(boxes.dataSource, box)).toEqual(items));

async function deadLetters(): Promise<ReceivedMessage[]> {
  const letters: ReceivedMessage[] = [];
  await boxes.broker.rewind('operator');
  await boxes.broker.drain('operator', deadLetterTopic(BoxFilled.stream), async ({ messages }) => {
    letters.push(...messages);
  });
  return letters;
}

/** An event that no outbox of ours has numbered. */
async function publishRaw(box: string, sequence: number, value: string, id = `${box}/${sequence}`): Promise<void> {
  const attributes = { id, type: BoxFilled.type, source: '/boxes', subject: box, time: new Date(0) };
  await boxes.broker.publish([
    toMessage(BoxFilled.stream, { ...attributes, key: box, sequence: String(sequence) }, value),
  ]);
}
const boxed = (box: string, item: number) => JSON.stringify({ box, item });

describe('a subscription', () => {
  it('applies the events of an outbox in order, once', async () => {
    const [a, b] = [aBox(), aBox()];
    boxes.relay();
    boxes.subscription();
    await fill(boxes.dataSource, a, [1, 2, 3]);
    await fill(boxes.dataSource, b, [4]);
    await arrived(a, [1, 2, 3]);
    await arrived(b, [4]);
  });

  it('skips what comes again, under its own number or another', async () => {
    const box = aBox();
    await publishRaw(box, 1, boxed(box, 1), 'first');
    await publishRaw(box, 1, boxed(box, 1), 'first');
    await publishRaw(box, 2, boxed(box, 2), 'second');
    await publishRaw(box, 1, boxed(box, 1), 'first');
    await publishRaw(box, 3, boxed(box, 2), 'second');
    await publishRaw(box, 4, boxed(box, 4), 'third');
    boxes.subscription();
    await arrived(box, [1, 2, 4]);
  });

  it('skips types without a consumer, and counts their numbers', async () => {
    const box = aBox();
    await fill(boxes.dataSource, box, [1]);
    await fill(boxes.dataSource, box, [2], BoxPainted as never);
    await fill(boxes.dataSource, box, [3]);
    boxes.relay();
    boxes.subscription();
    await arrived(box, [1, 3]);
  });

  it('tries again what fails for a moment', async () => {
    const box = aBox();
    boxes.relay();
    boxes.store.refused.add(2);
    const fits = jest.fn(() => boxes.store.refused.clear());
    boxes.subscription({ retryDelaysMs: [50, 60_000], log: { ...silent, warn: fits } });
    await fill(boxes.dataSource, box, [1]);
    await arrived(box, [1]);
    await fill(boxes.dataSource, box, [2, 3]);
    await arrived(box, [1, 2, 3]);
    expect(fits).toHaveBeenCalledTimes(1);
    expect(await deadLetters()).toEqual([]);
  });

  it('gives a batch consumer sets of events', async () => {
    const box = aBox();
    const sets: number[][] = [];
    const handleAll = async (events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> => {
      const items = events.map(({ data }) => (data as BoxFilled).item);
      sets.push(items);
      await tx.query('INSERT INTO items (box, item) SELECT $1, item FROM unnest($2::integer[]) AS item', [box, items]);
    };
    await fill(boxes.dataSource, box, [1, 2, 3]);
    boxes.relay();
    await eventually(async () => {
      const [{ waiting }] = await boxes.dataSource.query<[{ waiting: string }]>(
        'SELECT count(*) AS waiting FROM outbox WHERE published_at IS NULL',
      );
      return waiting === '0';
    });
    boxes.subscription({ consumers: [{ name: 'boxes.count', events: [BoxFilled], handleAll }] });
    await arrived(box, [1, 2, 3]);
    expect(sets).toEqual([[1, 2, 3]]);
  });

  it('stops while an event waits to be tried again', async () => {
    const box = aBox();
    boxes.store.refused.add(1);
    await fill(boxes.dataSource, box, [1]);
    boxes.relay();
    let tries = 0;
    const subscription = boxes.subscription({
      retryDelaysMs: [60_000],
      passed: (point) => void (point === 'inbox_inserted' && tries++),
    });
    await eventually(() => tries >= 2);
    await subscription.stop();
    boxes.store.refused.clear();
    boxes.subscription();
    await arrived(box, [1]);
  });
});

describe('an event that cannot be applied', () => {
  let poisoned: string;
  let healthy: string;
  beforeEach(async () => {
    [poisoned, healthy] = [aBox(), aBox()];
    boxes.store.refused.add(2);
    boxes.relay();
    boxes.subscription();
    await fill(boxes.dataSource, poisoned, [1, 2, 3]);
    await fill(boxes.dataSource, healthy, [10, 11]);
    await arrived(healthy, [10, 11]);
  });

  it('is parked with all that follow in its aggregate, while others move on', async () => {
    await fill(boxes.dataSource, poisoned, [4]);
    await fill(boxes.dataSource, healthy, [12]);
    await arrived(healthy, [10, 11, 12]);
    expect(await itemsOf(boxes.dataSource, poisoned)).toEqual([1]);
    expect(await parkedIn(boxes.dataSource, poisoned)).toEqual([
      { sequence: 2, reason: 'Error: item 2 does not fit' },
      { sequence: 3, reason: null },
      { sequence: 4, reason: null },
    ]);
  });

  it('is a dead letter with consumer, place and reason', async () => {
    const [letter, ...others] = await deadLetters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      key: poisoned,
      headers: {
        ce_sequence: '2',
        dlq_consumer: 'boxes',
        dlq_topic: 'boxes.v1',
        dlq_partition: '0',
        dlq_offset: expect.stringMatching(/^\d+$/),
        dlq_error: 'Error: item 2 does not fit',
      },
    });
  });

  it('is replayed in order with what waited, and its aggregate is free again', async () => {
    boxes.store.refused.clear();
    await requestReplay(boxes.dataSource, 'boxes');
    await arrived(poisoned, [1, 2, 3]);
    expect(await parkedIn(boxes.dataSource, poisoned)).toEqual([]);
    await fill(boxes.dataSource, poisoned, [4]);
    await arrived(poisoned, [1, 2, 3, 4]);
  });

  it('stays parked with the reason when the replay fails too', async () => {
    boxes.store.refused.add(3);
    boxes.store.refused.delete(2);
    await requestReplay(boxes.dataSource, 'boxes');
    await eventually(async () =>
      expect(await parkedIn(boxes.dataSource, poisoned)).toEqual([
        { sequence: 3, reason: 'Error: item 3 does not fit' },
      ]),
    );
    await fill(boxes.dataSource, poisoned, [4]);
    await eventually(async () => expect(await parkedIn(boxes.dataSource, poisoned)).toHaveLength(2));
    boxes.store.refused.clear();
    await requestReplay(boxes.dataSource, 'boxes');
    await arrived(poisoned, [1, 2, 3, 4]);
  });

  it('loses nothing to events that arrive during the replay', async () => {
    boxes.store.refused.clear();
    const items = Array.from({ length: 60 }, (_, index) => index + 4);
    const filled = (async () => {
      for (const item of items) await fill(boxes.dataSource, poisoned, [item]);
    })();
    await requestReplay(boxes.dataSource, 'boxes');
    await filled;
    await eventually(async () => {
      await requestReplay(boxes.dataSource, 'boxes');
      expect(await itemsOf(boxes.dataSource, poisoned)).toEqual([1, 2, 3, ...items]);
    });
    expect(await parkedIn(boxes.dataSource, poisoned)).toEqual([]);
  });
});

describe('a message that should not be there', () => {
  it.each([
    ['data that does not fit its class', (box: string) => publishRaw(box, 1, JSON.stringify({ box, item: 'one' }))],
    ['a value that is no JSON', (box: string) => publishRaw(box, 1, '{')],
    ['a number whose predecessor is missing', (box: string) => publishRaw(box, 2, boxed(box, 2))],
  ])('with %s is parked', async (_what, publish) => {
    const box = aBox();
    boxes.subscription();
    await publish(box);
    await eventually(async () => expect(await parkedIn(boxes.dataSource, box)).toHaveLength(1));
    expect(await deadLetters()).toHaveLength(1);
  });

  it('that is no event at all is a dead letter, and nothing waits for it', async () => {
    const box = aBox();
    boxes.subscription();
    await boxes.broker.publish([{ topic: BoxFilled.stream, key: box, headers: {}, value: 'hello' }]);
    await publishRaw(box, 1, boxed(box, 1));
    await arrived(box, [1]);
    expect(await deadLetters()).toMatchObject([
      { value: 'hello', headers: { dlq_error: 'MalformedEvent: the header ce_id is missing' } },
    ]);
  });
});
