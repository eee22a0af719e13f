import { InProcessBroker } from '../messaging/in-process/in-process-broker';
import { type ReaderPosition, type RunningReader } from '../messaging/event-transport.port';
import { fill, silent } from '../messaging/messaging.fixture';
import { eventually } from '../testing';
import { DONE, ITEMS, ItemsService, LIDS, StoreItems, StoreLids } from './items-service.fixture';

/** A stream with one more partition, to which nothing comes. */
class TwoPartitions extends InProcessBroker {
  constructor(private readonly other: InProcessBroker) {
    super(silent);
  }

  override subscribe(...reader: Parameters<InProcessBroker['subscribe']>): RunningReader {
    return this.other.subscribe(...reader);
  }

  override async positions(group: string, topic: string): Promise<ReaderPosition[]> {
    return [...(await this.other.positions(group, topic)), { partition: 1, next: 1n, end: 1n }];
  }
}

let service: ItemsService;
beforeEach(async () => (service = await ItemsService.open()));
afterEach(() => service.close());

const HEARD = `
  SELECT FROM event_log JOIN event_log_readers r USING (topic)
  WHERE outbox_id IS NULL AND event_log.position <= r.position`;
const isHeard = () => eventually(async () => (await service.query(HEARD)).length === 1, DONE);

describe('freshness', () => {
  it('is 0 when all is applied, and grows after the last look of a worker', async () => {
    service.startWorker();
    await fill(service.database.dataSource, 'red', [1]);
    await service.expectTotals(1);
    await service.isFresh();
    await service.stopWorkers();
    await eventually(async () => (await service.lag()) > 2, DONE);
  });

  it('is the age of the oldest event while there are events to read', async () => {
    service.startWorker();
    await service.isFresh();
    await service.query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5`);
    await service.stopWorkers();
    await service.query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5, checked_at = now()`);
    expect(await service.lag()).toBeCloseTo(3_600, 0);
  });
});

describe('freshness of what its owner has not published', () => {
  it('grows while the relay is stopped, and is 0 again when it works', async () => {
    service.startWorker();
    await isHeard();
    await service.isFresh();
    await service.stopRelay();
    await fill(service.database.dataSource, 'red', [1, 2]);
    await eventually(async () => (await service.lag()) > 0, DONE);
    service.startRelay();
    await service.expectTotals(2);
    await service.isFresh();
    // One heartbeat stays in the log, whatever the number that were sent.
    expect(await service.query('SELECT FROM event_log WHERE outbox_id IS NULL')).toHaveLength(1);
  });

  it("is the age in the relay's heartbeat, and older since", async () => {
    service.startWorker();
    await isHeard();
    await service.stopRelay();
    // Another one may be on its way.
    await isHeard();
    await service.query(`UPDATE heartbeats SET waited = '1 hour', heard_at = now() - interval '5 seconds'`);
    expect(await service.lag()).toBeCloseTo(3_605, -1);
    await service.query(`UPDATE heartbeats SET waited = '0', heard_at = now() - interval '70 seconds'`);
    expect(await service.lag()).toBeCloseTo(60, -1);
  });

  it('is the time since the start of the worker while no heartbeat was ever received', async () => {
    await service.stopRelay();
    await service.query('TRUNCATE event_log');
    service.startRelay([]);
    service.startWorker();
    await fill(service.database.dataSource, 'red', [1]);
    await service.expectTotals(1);
    await service.isFresh();
    await service.query(`UPDATE heartbeats SET heard_at = heard_at - interval '70 seconds'`);
    expect(await service.lag()).toBeCloseTo(60, -1);
  });

  it('says nothing of an owner that may be missing, until its first heartbeat', async () => {
    await service.stopRelay();
    await service.query('TRUNCATE event_log');
    service.startRelay([]);
    service.startWorker({ ...ITEMS, ownerMayBeMissing: true }, [new StoreItems()], new TwoPartitions(service.broker));
    await fill(service.database.dataSource, 'red', [1]);
    await eventually(async () => (await service.query('SELECT FROM items')).length === 1, DONE);
    await service.isFresh();
    expect(await service.query('SELECT FROM heartbeats')).toEqual([]);
    await service.stopRelay();
    service.startRelay();
    await eventually(async () => (await service.query('SELECT FROM heartbeats')).length === 2, DONE);
  });

  it('includes a partition without any heartbeat, beside one with', async () => {
    service.startWorker(ITEMS, [new StoreItems()], new TwoPartitions(service.broker));
    await isHeard();
    await service.isFresh();
    await service.query(`UPDATE heartbeats SET heard_at = heard_at - interval '70 seconds' WHERE partition = 1`);
    expect(await service.lag()).toBeCloseTo(60, -1);
  });
});

describe('freshness of several subscriptions', () => {
  it('is that of the one that is furthest behind', async () => {
    service.startWorker();
    await service.isFresh();
    await service.query(
      `UPDATE progress SET caught_up_at = now() - interval '1 hour' WHERE subscription = 'items.lids'`,
    );
    expect(await service.lag('items.lids')).toBeCloseTo(3_600, -1);
    service.startWorker(LIDS, [new StoreLids()]);
    await eventually(async () => (await service.lag('items.lids')) === 0, DONE);
  });
});
