import { InProcessBroker } from '@evenkeel/platform/messaging';
import { HeartbeatTable } from './heartbeat-table';
import { ITEMS, ItemsService, LIDS, silent } from './items-service.fixture';

/** A stream with one more partition, to which nothing comes. */
class TwoPartitions extends InProcessBroker {
  constructor(private readonly other: InProcessBroker) {
    super(silent);
  }

  override subscribe(...reader: Parameters<InProcessBroker['subscribe']>): ReturnType<InProcessBroker['subscribe']> {
    return this.other.subscribe(...reader);
  }

  override async positions(group: string, topic: string): ReturnType<InProcessBroker['positions']> {
    return [...(await this.other.positions(group, topic)), { partition: 1, next: 1n, end: 1n }];
  }
}

let service: ItemsService;
beforeEach(async () => (service = await ItemsService.open()));
afterEach(() => service.close());

const HEARTBEATS_READ = `
  SELECT FROM event_log JOIN event_log_readers r USING (topic)
  WHERE outbox_id IS NULL AND event_log.position <= r.position`;
/** One heartbeat stays in the log, whatever the number that were sent. */
const hasHeartbeat = () => service.has(HEARTBEATS_READ, [{}]);
const isSilentFor = async (condition = 'true') => {
  await service.query(`UPDATE heartbeats SET heard_at = heard_at - interval '70 seconds' WHERE ${condition}`);
  expect(await service.lag()).toBeCloseTo(60, -1);
};

describe('freshness', () => {
  it('is 0 when all is applied, and grows after the last look of a worker', async () => {
    service.startWorker();
    await service.fill('red', [1]);
    await service.hasTotals(1);
    await service.isFresh();
    await service.stopWorkers();
    await service.lags((lagSeconds) => lagSeconds > 2);
    // While there are events to read, it is the age of the oldest.
    await service.query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5, checked_at = now()`);
    expect(await service.lag()).toBeCloseTo(3_600, 0);
  });

  it('includes what its owner has not published: it grows while the relay is stopped', async () => {
    service.startWorker();
    await hasHeartbeat();
    await service.isFresh();
    await service.stopRelay();
    await service.fill('red', [1, 2]);
    await service.lags((lagSeconds) => lagSeconds > 0);
    await service.query(`UPDATE heartbeats SET waited = '1 hour', heard_at = now() - interval '5 seconds'`);
    expect(await service.lag()).toBeCloseTo(3_605, -1);
    service.startRelay();
    await service.hasTotals(2);
    await service.isFresh();
  });

  it('is the time since the last heartbeat of a partition, or since the start of the worker', async () => {
    service.startWorker(ITEMS, new TwoPartitions(service.broker));
    await hasHeartbeat();
    await service.isFresh();
    await isSilentFor('partition = 1');
    await service.query('UPDATE heartbeats SET heard_at = now()');
    await service.stopRelay();
    // Another one may be on its way.
    await hasHeartbeat();
    await isSilentFor('partition = 0');
  });

  it('includes an event that is parked, however far the others have come', async () => {
    service.startWorker();
    await service.isFresh();
    await service.query(
      `INSERT INTO parked (consumer, aggregate, aggregate_seq, message_id, message, parked_at)
       VALUES ('items', 'red', 1, 'red/1', '{}', now() - interval '1 hour')`,
    );
    expect(await service.lag()).toBeCloseTo(3_600, -1);
  });

  it('says nothing of an owner that may be missing, until its first heartbeat', async () => {
    await service.stopRelay();
    await service.query('TRUNCATE event_log');
    service.startRelay([]);
    const heartbeats = () => new HeartbeatTable(service.database.dataSource, 'items', { ownerMayBeMissing: true });
    service.startWorker({ ...ITEMS, heartbeats }, new TwoPartitions(service.broker));
    await service.fill('red', [1]);
    await service.hasTotals(1);
    await service.isFresh();
    expect(await service.query('SELECT FROM heartbeats')).toEqual([]);
    await service.stopRelay();
    service.startRelay();
    await service.has('SELECT FROM heartbeats', [{}, {}]);
  });

  it('of several subscriptions is that of the one that is furthest behind', async () => {
    service.startWorker();
    await service.isFresh();
    await service.query(
      `UPDATE progress SET caught_up_at = now() - interval '1 hour' WHERE subscription = 'items.lids'`,
    );
    expect(await service.lag('items.lids')).toBeCloseTo(3_600, -1);
    service.startWorker(LIDS);
    await service.isFresh('items.lids');
  });
});
