import { eventually } from '../../testing';
import { deadLetterTopic } from '@evenkeel/contracts';
import type { ReceivedMessage } from '..';
import { aBox, BoxFilled, BoxService, fill, itemsOf, parkedIn, silent } from '../messaging.fixture';
import { toMessage } from '../cloud-events';
import { requestReplay } from './parked-events';

jest.setTimeout(30_000);

let boxes: BoxService;
let box: string;
beforeEach(async () => {
  boxes = await BoxService.open();
  box = aBox();
});
afterEach(() => boxes[Symbol.asyncDispose]());

const write = (items: readonly number[], event?: typeof BoxFilled) => fill(boxes.dataSource, box, items, event);
const arrived = (items: number[], of = box) =>
  eventually(async () => expect(await itemsOf(boxes.dataSource, of)).toEqual(items));
const parked = () => parkedIn(boxes.dataSource, box);
const replay = () => requestReplay(boxes.dataSource, 'boxes');

async function deadLetters(): Promise<ReceivedMessage[]> {
  const letters: ReceivedMessage[] = [];
  await boxes.broker.rewind('operator');
  await boxes.broker.drain('operator', deadLetterTopic(BoxFilled.stream), async ({ messages }) => {
    letters.push(...messages);
  });
  return letters;
}

/** An event that no outbox of ours has numbered. */
async function publishRaw(sequence: number, value: string | number, id = `${box}/${sequence}`): Promise<void> {
  const attributes = { id, type: BoxFilled.type, source: '/boxes', subject: box, time: new Date(0), key: box };
  const data = typeof value === 'string' ? value : JSON.stringify({ box, item: value });
  await boxes.broker.publish([toMessage(BoxFilled.stream, { ...attributes, sequence: String(sequence) }, data)]);
}

describe('a subscription', () => {
  it('applies the events of an outbox in order, once, and in sets; it skips types without a consumer', async () => {
    /** It has no reader. */
    class BoxPainted extends BoxFilled {
      static override readonly type = 'box.painted';
    }
    await write([1, 2]);
    await write([3], BoxPainted);
    boxes.relay();
    const unpublished = 'SELECT FROM outbox WHERE published_at IS NULL';
    await eventually(async () => expect(await boxes.dataSource.query(unpublished)).toEqual([]));
    boxes.subscription();
    await arrived([1, 2]);
    await write([4]);
    await arrived([1, 2, 4]);
    expect(boxes.store.sizes).toEqual([2, 1]);
  });

  it('skips what comes again, under its own number or another', async () => {
    for (const [sequence, item, id] of [
      [1, 1, 'first'],
      [1, 1, 'first'],
      [2, 2, 'second'],
      [1, 1, 'first'],
      [3, 2, 'second'],
      [4, 4, 'third'],
    ] as const)
      await publishRaw(sequence, item, id);
    boxes.subscription();
    await arrived([1, 2, 4]);
  });

  it('tries again what fails for a moment', async () => {
    boxes.relay();
    boxes.store.refused.add(2);
    const fits = jest.fn(() => boxes.store.refused.clear());
    boxes.subscription({ retryDelaysMs: [50, 60_000], log: { ...silent, warn: fits } });
    await write([1, 2, 3]);
    await arrived([1, 2, 3]);
    expect(fits).toHaveBeenCalledTimes(1);
    expect(await deadLetters()).toEqual([]);
  });

  it('erases what it has seen a fortnight ago, however much that is, by statements that stay short', async () => {
    await boxes.dataSource.query(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM gone) > 50000 THEN RAISE 'too many at once'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER few_at_once AFTER DELETE ON inbox REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_many();
      INSERT INTO inbox SELECT 'old ' || n, 'boxes', now() - interval '15 days' FROM generate_series(1, 50001) AS n;
      INSERT INTO inbox SELECT 'young', 'boxes', now() - interval '13 days'`);
    boxes.subscription();
    const seen = 'SELECT message_id FROM inbox LIMIT 2';
    await eventually(async () => expect(await boxes.dataSource.query(seen)).toEqual([{ message_id: 'young' }]));
  });

  it('stops while an event waits to be tried again', async () => {
    boxes.store.refused.add(1);
    await write([1]);
    boxes.relay();
    const subscription = boxes.subscription({ retryDelaysMs: [60_000] });
    await eventually(() => boxes.store.sizes.length >= 2);
    await subscription.stop();
    boxes.store.refused.clear();
    boxes.subscription();
    await arrived([1]);
  });
});

describe('an event that cannot be applied', () => {
  beforeEach(async () => {
    const healthy = aBox();
    boxes.store.refused.add(2);
    boxes.relay();
    boxes.subscription();
    await write([1, 2, 3]);
    await fill(boxes.dataSource, healthy, [10, 11]);
    await arrived([10, 11], healthy);
  });

  it('is a dead letter, and parked with all that follow in its aggregate, while others move on', async () => {
    await write([4]);
    await eventually(async () => expect(await parked()).toHaveLength(3));
    expect(await itemsOf(boxes.dataSource, box)).toEqual([1]);
    const reason = 'Error: item 2 does not fit';
    expect(await parked()).toEqual([
      { sequence: 2, reason },
      { sequence: 3, reason: null },
      { sequence: 4, reason: null },
    ]);
    const place = { dlq_topic: 'boxes.v1', dlq_partition: '0', dlq_offset: expect.stringMatching(/^\d+$/) as string };
    expect(await deadLetters()).toMatchObject([
      { key: box, headers: { ce_sequence: '2', dlq_consumer: 'boxes', dlq_error: reason, ...place } },
    ]);
  });

  it('is replayed in order with what waited, and stays parked with the reason when that fails too', async () => {
    boxes.store.refused.add(3);
    boxes.store.refused.delete(2);
    await replay();
    const refused = { sequence: 3, reason: 'Error: item 3 does not fit' };
    await eventually(async () => expect(await parked()).toEqual([refused]));
    await write([4]);
    await eventually(async () => expect(await parked()).toHaveLength(2));
    boxes.store.refused.clear();
    await replay();
    await arrived([1, 2, 3, 4]);
    expect(await parked()).toEqual([]);
    await write([5]);
    await arrived([1, 2, 3, 4, 5]);
  });

  it('is replayed by its letter where the table has lost it', async () => {
    boxes.store.refused.clear();
    await boxes.dataSource.query('DELETE FROM parked WHERE aggregate_seq = 2');
    await boxes.dataSource.query('INSERT INTO parked SELECT consumer, $1, 1, message_id, message FROM parked', [
      aBox(),
    ]);
    await boxes.dataSource.query('DELETE FROM parked WHERE aggregate = $1', [box]);
    await replay();
    await arrived([1, 2]);
  });

  it('loses nothing to events that arrive during the replay', async () => {
    boxes.store.refused.clear();
    const items = Array.from({ length: 60 }, (_, index) => index + 4);
    const filled = (async () => {
      for (const item of items) await write([item]);
    })();
    await replay();
    await filled;
    await eventually(async () => {
      await replay();
      expect(await itemsOf(boxes.dataSource, box)).toEqual([1, 2, 3, ...items]);
    });
    expect(await parked()).toEqual([]);
  });
});

describe('a message that should not be there', () => {
  it.each<[string, number, string | number]>([
    ['data that does not fit its class', 1, JSON.stringify({ box: 'a', item: 'one' })],
    ['a value that is no JSON', 1, '{'],
    ['a number whose predecessor is missing', 2, 2],
  ])('with %s is parked', async (_, sequence, value) => {
    boxes.subscription();
    await publishRaw(sequence, value);
    await eventually(async () => expect(await parked()).toHaveLength(1));
    expect(await deadLetters()).toHaveLength(1);
  });

  it('that is no event at all is a dead letter, and nothing waits for it', async () => {
    boxes.subscription();
    await boxes.broker.publish([{ topic: BoxFilled.stream, key: box, headers: {}, value: 'hello' }]);
    await publishRaw(1, 1);
    await arrived([1]);
    expect(await deadLetters()).toMatchObject([
      { value: 'hello', headers: { dlq_error: 'MalformedEvent: the header ce_id is missing' } },
    ]);
  });
});
