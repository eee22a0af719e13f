import { ManualClock } from '@evenkeel/kernel';
import { PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { FollowStream, InProcessBroker, type EventTransport } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { LedgerStream, silent } from '../revenue/ledger-stream.fixture';
import { aPayment } from '../revenue/story.fixture';
import { Freshness } from './freshness';
import { eventsOf, history } from './history.fixture';
import { LEDGER_PROJECTION, ProjectLedger } from './project-ledger.consumer';
import { expectPayments, reportingDatabase } from './projection.fixture';
import { ProjectSubscriptions, SUBSCRIPTIONS_PROJECTION } from './subscriptions/project-subscriptions.consumer';
import { anInvoice, publishedOf } from './subscriptions/subscription-history.fixture';

jest.setTimeout(90_000);

const DONE = { withinMs: 30_000 };
const LEDGER = LEDGER_PROJECTION.subscription;
const SUBSCRIPTIONS = SUBSCRIPTIONS_PROJECTION.subscription;

/** Streams with one more partition, to which nothing comes. */
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

let database: TestDatabase;
let ledger: LedgerStream;
let workers: FollowStream[];
beforeEach(async () => {
  [database, ledger] = await Promise.all([reportingDatabase(), LedgerStream.open()]);
  workers = [];
});
afterEach(async () => {
  await stopWorkers();
  await ledger.close();
  await database.drop();
});

function startWorker(projection = LEDGER_PROJECTION, transport: EventTransport = ledger.broker): void {
  const consumers = [projection === LEDGER_PROJECTION ? new ProjectLedger() : new ProjectSubscriptions()];
  const { dataSource } = database;
  workers.push(new FollowStream({ projection, consumers, dataSource, transport, log: silent }));
  workers.at(-1)!.onApplicationBootstrap();
}
const stopWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));

const query = (sql: string) => database.dataSource.query<object[]>(sql);
const lag = async (...subscriptions: string[]) =>
  (await new Freshness(database.dataSource, new ManualClock(new Date(0))).read(LEDGER, ...subscriptions)).lagSeconds;
const lags = (isSo: (lagSeconds: number) => boolean, ...subscriptions: string[]) =>
  eventually(async () => isSo(await lag(...subscriptions)), DONE);
const isFresh = (...subscriptions: string[]) => lags((lagSeconds) => lagSeconds === 0, ...subscriptions);
const pays = async (count: number) => {
  const story = history(...Array.from({ length: count }, () => aPayment()));
  await ledger.publish(eventsOf(story));
  return story;
};
const HEARTBEATS_READ = `
  SELECT FROM event_log JOIN event_log_readers r USING (topic)
  WHERE outbox_id IS NULL AND event_log.position <= r.position`;
/** One heartbeat stays in the log, whatever the number that were sent. */
const hasHeartbeat = () =>
  eventually(async () => expect(await ledger.source.database.dataSource.query(HEARTBEATS_READ)).toEqual([{}]), DONE);
const isSilentFor = async (partition: number) => {
  await query(`UPDATE heartbeats SET heard_at = heard_at - interval '70 seconds' WHERE partition = ${partition}`);
  expect(await lag()).toBeCloseTo(60, -1);
};

describe('freshness', () => {
  it('is 0 when all is applied, and grows after the last look of a worker', async () => {
    startWorker();
    await expectPayments(database.dataSource, await pays(1));
    await isFresh();
    await stopWorkers();
    await lags((lagSeconds) => lagSeconds > 2);
    // While there are events to read, it is the age of the oldest.
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5, checked_at = now()`);
    expect(await lag()).toBeCloseTo(3_600, 0);
  });

  it('includes what its owner has not published: it grows while the relay is stopped', async () => {
    startWorker();
    await hasHeartbeat();
    await isFresh();
    await ledger.source.stopRelay();
    const unpublished = await pays(2);
    await lags((lagSeconds) => lagSeconds > 0);
    await query(`UPDATE heartbeats SET waited = '1 hour', heard_at = now() - interval '5 seconds'`);
    expect(await lag()).toBeCloseTo(3_605, -1);
    ledger.source.startRelay();
    await expectPayments(database.dataSource, unpublished);
    await isFresh();
  });

  it('is the time since the last heartbeat of a partition, or since the start of the worker', async () => {
    startWorker(LEDGER_PROJECTION, new TwoPartitions(ledger.broker));
    await hasHeartbeat();
    await isFresh();
    await isSilentFor(1);
    await query('UPDATE heartbeats SET heard_at = now()');
    await ledger.source.stopRelay();
    // Another one may be on its way.
    await hasHeartbeat();
    await isSilentFor(0);
  });

  it('includes an event that is parked, however far the others have come', async () => {
    startWorker();
    await isFresh();
    await query(
      `INSERT INTO parked (consumer, aggregate, aggregate_seq, message_id, message, parked_at)
       VALUES ('${LEDGER}', 'red', 1, 'red/1', '{}', now() - interval '1 hour')`,
    );
    expect(await lag()).toBeCloseTo(3_600, -1);
  });

  it('says nothing of billing, which may be missing, until its first heartbeat', async () => {
    startWorker(SUBSCRIPTIONS_PROJECTION, new TwoPartitions(ledger.broker));
    await ledger.publish(publishedOf({ invoices: [anInvoice()] }));
    await eventually(async () => expect(await query('SELECT FROM invoices')).toHaveLength(1), DONE);
    expect(await query('SELECT FROM heartbeats')).toEqual([]);
    await ledger.source.stopRelay();
    ledger.source.startRelay([PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM]);
    await eventually(async () => expect(await query('SELECT FROM heartbeats')).toHaveLength(2), DONE);
  });

  it('of several subscriptions is that of the one that is furthest behind', async () => {
    startWorker();
    await isFresh();
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour' WHERE subscription = '${SUBSCRIPTIONS}'`);
    expect(await lag(SUBSCRIPTIONS)).toBeCloseTo(3_600, -1);
    startWorker(SUBSCRIPTIONS_PROJECTION);
    await isFresh(SUBSCRIPTIONS);
  });
});
