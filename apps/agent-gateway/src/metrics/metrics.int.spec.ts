import type { ModeCommand } from '@evenkeel/facilitator';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { eventually, routesOf, scrape, type ScrapedPage } from '@evenkeel/platform/testing';
import { aGateway, startGateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import { WorkerModule } from '../worker.module';

const WITHIN = { withinMs: 20_000 };

const broker = new InProcessBroker({ warn: () => undefined, error: () => undefined });
const gateway = aGateway({
  silentAtOnce: true,
  chain: true,
  modules: [WorkerModule.forRoot(broker)],
  settings: { RECONCILE_EVERY_SECONDS: '1' },
});

const page = (by = gateway): Promise<ScrapedPage> => scrape(by.running.internalUrl);
/** A page for which the payments were read in time: a busy machine may take longer. */
const wholePage = () =>
  eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_scrape_missing', { source: 'payments' })).toBe(0);
    return scraped;
  }, WITHIN);
const unpaid = (by = gateway) => by.send(analyze.path, { method: 'POST', body: '{}' });

async function pay(mode: ModeCommand = { mode: 'ok' }): Promise<number> {
  gateway.control({ ...mode, count: 1 });
  return (await gateway.pay(await gateway.aBuyer().sign())).status;
}

it('after paid calls, refusals and an open outcome the figures are those of the ledger', async () => {
  expect([await pay(), await pay(), await pay()]).toEqual([200, 200, 200]);
  await pay({ mode: 'invalid', reason: 'insufficient_funds', on: 'verify' });
  await pay({ mode: 'refused', reason: 'insufficient_funds', on: 'settle' });
  await pay({ mode: 'reset', on: 'settle' });
  await gateway.query(`UPDATE payments SET state = 'settling' WHERE state = 'settlement_pending'`);
  await pay({ mode: 'reset', on: 'settle' });

  const scraped = await wholePage();
  const shown = scraped.of('evenkeel_payments').filter(({ value }) => value > 0);
  expect(Object.fromEntries(shown.map(({ labels, value }) => [labels['state'], value]))).toEqual({
    settled: 3,
    settlement_failed: 1,
    settlement_pending: 1,
    settling: 1,
  });
  const calls = (call: string, outcome: string) =>
    scraped.value('evenkeel_facilitator_seconds_count', { call, outcome });
  expect([calls('verify', '2xx'), calls('settle', 'no_answer')]).toEqual([7, 2]);

  expect(scraped.value('evenkeel_payments_oldest_seconds')).toBeLessThan(3_600);
  await gateway.query(
    `UPDATE payments SET created_at = created_at - interval '2 hours' WHERE state IN ('settled', 'settlement_pending')`,
  );
  const oldest = (await wholePage()).value('evenkeel_payments_oldest_seconds');
  expect(Math.floor(oldest! / 3_600)).toBe(2);
});

it('while the facilitator is out of order, its circuit is open', async () => {
  const circuit = async () => (await page()).value('evenkeel_circuit_open', { dependency: 'facilitator_verify' });
  expect(await circuit()).toBe(0);
  gateway.clock.advanceMs(11_000);
  gateway.control({ mode: '500', on: 'verify' });
  for (let call = 0; call < 12; call++) await gateway.pay(await gateway.aBuyer().sign());
  gateway.control({ mode: 'ok' });
  expect(await circuit()).toBe(1);
  expect((await page()).value('evenkeel_facilitator_seconds_count', { call: 'verify', outcome: '5xx' })).toBe(10);
  gateway.clock.advanceMs(6_000);
  expect(await pay()).toBe(200);
  expect(await circuit()).toBe(0);
});

it('the relay, the outbox, the connections and the last reconciliation are there', async () => {
  await eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_relay_active')).toBe(1);
    for (const name of ['outbox_unpublished', 'outbox_oldest_seconds', 'reconciliation_differences']) {
      expect([name, scraped.value(`evenkeel_${name}`)]).toEqual([name, 0]);
    }
  }, WITHIN);
  // First in the order of the outbox, so that no event of a payment that the worker settles meanwhile is before them.
  await gateway.query(
    `INSERT INTO outbox (seq, id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload, created_at)
     OVERRIDING SYSTEM VALUE
     SELECT -n, gen_random_uuid(), 'nobody', 'a' || n, n, 't', 's', now(), '{}', now() - interval '1 hour'
     FROM generate_series(1, 3) n`,
  );
  const unpublished = async () => (await gateway.query('SELECT FROM outbox WHERE published_at IS NULL')).length;
  await eventually(async () => {
    const [before, scraped, after] = [await unpublished(), await page(), await unpublished()];
    expect([before >= 3, after]).toEqual([true, before]);
    expect(scraped.value('evenkeel_outbox_unpublished')).toBe(before);
    expect(scraped.value('evenkeel_outbox_oldest_seconds')).toBeGreaterThanOrEqual(3_600);
    expect(scraped.value('evenkeel_db_pool', { state: 'idle' })).toBeGreaterThan(0);
  }, WITHIN);
});

it('limits that this process decides alone, because Redis is not there, are counted', async () => {
  const alone = await startGateway({ besides: gateway, settings: { REDIS_URL: 'redis://127.0.0.1:1' } });
  for (let call = 0; call < 2; call++) await unpaid(alone);
  const scraped = await page(alone);
  await alone.close();
  expect(scraped.value('evenkeel_ratelimit_degraded_total')).toBe(2);
  // Only the worker looks into the ledger.
  const shown = scraped.of('evenkeel_payments').map(({ labels }) => labels['state']);
  expect(shown).toEqual(['settled', 'settlement_failed']);
});

it('buyers do not see it, unknown paths share one label, and no label holds an id', async () => {
  for (const path of ['/wp-login.php', '/agent/v1/a/b?c=d', '/%zz']) await gateway.send(path);
  const { status, text } = await gateway.send('/metrics');
  expect([status, text.includes('evenkeel_')]).toEqual([404, false]);
  const scraped = await page();
  const routes = new Set([...routesOf(gateway.app).map((route) => route.split(' ').at(-1)!), 'unknown']);
  for (const { labels } of scraped.of('evenkeel_http_requests_total')) expect(routes).toContain(labels['route']);
  const values = new Set(scraped.samples.flatMap(({ labels }) => Object.values(labels)));
  for (const value of values) expect(value).not.toMatch(/0x|[0-9a-f]{8}-[0-9a-f]{4}|\d{6}/);
});
