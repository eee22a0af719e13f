import { eventually, scrape } from '@evenkeel/platform/testing';
import { Reporting } from '../revenue/reporting.fixture';
import { aPayment } from '../revenue/story.fixture';
import { eventsOf, history } from './history.fixture';

const DONE = { withinMs: 30_000 };
const bad = `0x${'b'.repeat(40)}`;

// Messages are counted.
const reporting = Reporting.forSuite({}, []);

const page = () => scrape(reporting.running.internalUrl);
const subscription = { subscription: 'reporting' };

it('the metrics show how far the subscription is behind, and how many wallets are parked', async () => {
  await reporting.publish(...eventsOf(history(aPayment(), aPayment())));
  await eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_consumer_lag', subscription)).toBe(0);
    expect(scraped.value('evenkeel_parked_aggregates', subscription)).toBe(0);
  }, DONE);

  const query = (sql: string, values?: unknown[]) => reporting.database.dataSource.query(sql, values);
  await query(
    `INSERT INTO parked (consumer, aggregate, aggregate_seq, message_id, message)
     SELECT 'reporting', $1, n, 'm' || n, '{}' FROM generate_series(1, 3) n`,
    [bad],
  );
  expect((await page()).value('evenkeel_parked_aggregates', subscription)).toBe(1);
  await query('DELETE FROM parked');

  // A consumer that cannot write has read nothing.
  await query(`ALTER TABLE inbox ADD CONSTRAINT nothing_new CHECK (false) NOT VALID`);
  await reporting.stream.publish(eventsOf(history(aPayment(), aPayment(), aPayment())));
  await eventually(async () => expect((await page()).value('evenkeel_consumer_lag', subscription)).toBe(3), DONE);
  // Its age grows meanwhile, however few they are.
  const age = async () => (await page()).value('evenkeel_consumer_lag_seconds', subscription);
  await eventually(async () => {
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour' WHERE subscription = 'reporting'`);
    expect(await age()).toBeGreaterThanOrEqual(3_600);
  }, DONE);
  await query('ALTER TABLE inbox DROP CONSTRAINT nothing_new');
  await eventually(async () => expect((await page()).value('evenkeel_consumer_lag', subscription)).toBe(0), DONE);
  await eventually(async () => expect(await age()).toBeLessThan(60), DONE);
});
