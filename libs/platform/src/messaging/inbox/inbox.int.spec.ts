import { eventually } from '../../testing';
import { toMessage } from '../cloud-events';
import type { ReceivedMessage } from '..';
import { BoxFilled, BoxService, itemsOf, StoreItems } from '../messaging.fixture';
import { Inbox } from './inbox';

const BOX = 'box';

function numbered(...items: readonly number[]): ReceivedMessage[] {
  return items.map((item) => {
    const attributes = { type: BoxFilled.type, source: '/boxes', subject: BOX, time: new Date(0), key: BOX };
    const sequence = String(item);
    const data = JSON.stringify({ box: BOX, item });
    const message = toMessage(BoxFilled.stream, { ...attributes, id: sequence, sequence }, data);
    return { ...message, partition: 0, offset: sequence };
  });
}

it('applies events once and in order when another reader reads a new aggregate before the first has committed', async () => {
  await using boxes = await BoxService.open();
  const { dataSource } = boxes;
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let isHeld = false;
  class StoreWhenAwaited extends StoreItems {
    override async handleAll(...[events, tx]: Parameters<StoreItems['handleAll']>): Promise<void> {
      await super.handleAll(events, tx);
      isHeld = true;
      await eventually(async () => expect(await dataSource.query(waiting)).toHaveLength(1));
    }
  }
  const first = new Inbox({ dataSource, name: 'boxes', consumers: [new StoreWhenAwaited()] });
  const second = new Inbox({ dataSource, name: 'boxes', consumers: [boxes.store] });
  const accepting = first.accept(numbered(1));
  await eventually(() => isHeld);
  await Promise.all([accepting, second.accept(numbered(2, 3))]);
  expect(await itemsOf(dataSource, BOX)).toEqual([1, 2, 3]);
  await Promise.all([second.accept(numbered(1, 2)), second.accept(numbered(3, 4))]);
  expect(await itemsOf(dataSource, BOX)).toEqual([1, 2, 3, 4]);
});

it('finds positions by their keys, although its plans were made while there were few', async () => {
  await using boxes = await BoxService.open();
  const { dataSource } = boxes;
  const read: number[] = [];
  class StoreAndCount extends StoreItems {
    override async handleAll(...[events, tx]: Parameters<StoreItems['handleAll']>): Promise<void> {
      await super.handleAll(events, tx);
      const [{ rows }] = await tx.query<[{ rows: number }]>(
        `SELECT (seq_tup_read + idx_tup_fetch)::integer AS rows FROM pg_stat_xact_user_tables WHERE relname = 'inbox_positions'`,
      );
      read.push(rows);
    }
  }
  const inbox = new Inbox({ dataSource, name: 'boxes', consumers: [new StoreAndCount()] });
  await dataSource.query('ALTER TABLE inbox_positions SET (autovacuum_enabled = off)');
  await inbox.accept(numbered(1));
  await dataSource.query('ANALYZE inbox_positions');
  for (let item = 2; item <= 10; item++) await inbox.accept(numbered(item));
  await dataSource.query(
    `INSERT INTO inbox_positions SELECT 'boxes', 'box ' || n, 0 FROM generate_series(1, 5000) AS n`,
  );
  read.length = 0;
  await inbox.accept(numbered(11));
  expect(read[0]).toBeLessThan(100);
});
