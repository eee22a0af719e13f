import { eventually } from '../../testing';
import { toMessage } from '../cloud-events';
import type { ReceivedMessage } from '..';
import { aBox, BoxFilled, BoxService, itemsOf, StoreItems } from '../messaging.fixture';
import { Inbox } from './inbox';

let boxes: BoxService;
beforeAll(async () => (boxes = await BoxService.open()));
afterAll(() => boxes[Symbol.asyncDispose]());

const numbered = (box: string, items: readonly number[]): ReceivedMessage[] =>
  items.map((item) => {
    const attributes = {
      id: `${box}/${item}`,
      type: BoxFilled.type,
      source: '/boxes',
      subject: box,
      time: new Date(0),
    };
    const message = toMessage(
      BoxFilled.stream,
      { ...attributes, key: box, sequence: String(item) },
      JSON.stringify({ box, item }),
    );
    return { ...message, partition: 0, offset: String(item) };
  });

/** Transactions of this database that wait for another one. */
async function waiting(): Promise<number> {
  const [{ count }] = await boxes.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return count;
}

it('applies events once and in order when another reader reads a new aggregate before the first has committed', async () => {
  let isHeld = false;
  class StoreWhenAwaited extends StoreItems {
    override async handleAll(...[events, tx]: Parameters<StoreItems['handleAll']>): Promise<void> {
      await super.handleAll(events, tx);
      isHeld = true;
      await eventually(async () => expect(await waiting()).toBe(1));
    }
  }
  const options = { dataSource: boxes.dataSource, name: 'boxes' };
  const first = new Inbox({ ...options, consumers: [new StoreWhenAwaited()] });
  const second = new Inbox({ ...options, consumers: [boxes.store] });
  const box = aBox();
  const accepting = first.accept(numbered(box, [1]));
  await eventually(() => expect(isHeld).toBe(true));
  await Promise.all([accepting, second.accept(numbered(box, [2, 3]))]);
  expect(await itemsOf(boxes.dataSource, box)).toEqual([1, 2, 3]);
  await Promise.all([second.accept(numbered(box, [1, 2])), second.accept(numbered(box, [3, 4]))]);
  expect(await itemsOf(boxes.dataSource, box)).toEqual([1, 2, 3, 4]);
});
