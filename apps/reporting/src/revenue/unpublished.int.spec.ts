import { eventually } from '@evenkeel/platform/testing';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';
import { aPayment, publishedOf } from './story.fixture';

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

  await reporting.stream.stopRelay();
  await reporting.stream.publish(publishedOf(Array.from({ length: 10 }, () => aPayment())));
  await eventually(async () => expect((await read()).lag).toBeGreaterThan(0), SOON);
  const { lag } = await read();
  await eventually(async () => expect((await read()).headerLag).toBeGreaterThan(lag), SOON);
  expect((await read()).paid).toBe(0);

  reporting.stream.startRelay();
  await eventually(async () => expect(await read()).toMatchObject({ lag: 0, paid: 10, headerLag: 0 }), SOON);
}, 120_000);
