import { eventually } from '@evenkeel/platform/testing';
import { Client } from 'pg';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';
import { aPayment, publishedOf } from './story.fixture';

/** The lock that makes a relay the one that works. */
const RELAY_LOCK = 7_360_184_738;
/** Heartbeats that reporting has read. */
const HEARD = `
  SELECT FROM event_log JOIN event_log_readers r USING (topic)
  WHERE outbox_id IS NULL AND event_log.position <= r.position`;
/** Ten seconds are promised. */
const SOON = { withinMs: 30_000 };

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

async function read(): Promise<{ lag: number; paid: number; headerLag: number }> {
  const { lag_seconds, all_time } = await reporting.answer<SummaryView>('summary');
  const { headers } = await reporting.read('changes');
  return { lag: lag_seconds, paid: all_time.paid_calls, headerLag: Number(headers.get('x-lag-seconds')) };
}

it('lag_seconds tells of payments that the gateway has not published, and is 0 once they are', async () => {
  const ledger = reporting.stream.database;
  await eventually(async () => {
    expect(await ledger.dataSource.query(HEARD)).toHaveLength(1);
    expect((await read()).lag).toBe(0);
  }, SOON);

  await using holder = new HeldLock(ledger.url);
  await holder.take(() =>
    ledger.dataSource.query(`
      SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()`),
  );
  await reporting.stream.publish(publishedOf(Array.from({ length: 10 }, () => aPayment())));
  await eventually(async () => expect((await read()).lag).toBeGreaterThan(0), SOON);
  const { lag } = await read();
  await eventually(async () => expect((await read()).headerLag).toBeGreaterThan(lag), SOON);
  expect((await read()).paid).toBe(0);

  await holder.release();
  await eventually(async () => expect(await read()).toMatchObject({ lag: 0, paid: 10, headerLag: 0 }), SOON);
}, 120_000);

/** A session that holds the lock in place of the relay. */
class HeldLock implements AsyncDisposable {
  private readonly client: Client;
  private ended?: Promise<void>;

  constructor(connectionString: string) {
    this.client = new Client({ connectionString });
  }

  /** @param freed makes the present holder let go */
  async take(freed: () => Promise<unknown>): Promise<void> {
    await this.client.connect();
    const taken = this.client.query('SELECT pg_advisory_lock($1)', [RELAY_LOCK]);
    // In the queue before the relay tries again.
    await eventually(async () => {
      await freed();
      await Promise.race([taken, new Promise((_, reject) => setTimeout(reject, 200))]);
    }, SOON);
  }

  release(): Promise<void> {
    return (this.ended ??= this.client.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
