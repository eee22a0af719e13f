import type { ModeCommand } from '@evenkeel/facilitator';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { eventually, routesOf, scrape, type ScrapedPage } from '@evenkeel/platform/testing';
import { Client } from 'pg';
import { startGateway, type Gateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import { WorkerModule } from '../worker.module';

const WITHIN = { withinMs: 20_000 };
const OPEN = ['settling', 'settlement_pending', 'needs_reconciliation'];

let gateway: Gateway;
beforeAll(async () => {
  const broker = new InProcessBroker({ warn: () => undefined, error: () => undefined });
  gateway = await startGateway({
    silentAtOnce: true,
    chain: true,
    modules: [WorkerModule.forRoot(broker)],
    settings: { RECONCILE_EVERY_SECONDS: '1' },
  });
});
afterAll(() => gateway.close());

const page = (): Promise<ScrapedPage> => scrape(gateway.running.internalUrl);
/** A page for which the payments were read in time: a busy machine may take longer. */
const wholePage = () =>
  eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_scrape_missing', { source: 'payments' })).toBe(0);
    return scraped;
  }, WITHIN);
const unpaid = () => gateway.send(analyze.path, { method: 'POST', body: '{}' });

async function pay(mode: ModeCommand = { mode: 'ok' }): Promise<number> {
  gateway.facilitator.control({ ...mode, count: 1 });
  return (await gateway.pay(await gateway.aBuyer().sign())).status;
}

async function unpublished(): Promise<number> {
  const [row] = await gateway.ledger.dataSource.query<[{ count: number }]>(
    'SELECT count(*)::integer FROM outbox WHERE published_at IS NULL',
  );
  return row.count;
}

async function ledgerStates(): Promise<Record<string, number>> {
  const rows = await gateway.ledger.dataSource.query<{ state: string; count: number }[]>(
    'SELECT state, count(*)::integer FROM payments GROUP BY state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

function paymentStates(scraped: ScrapedPage): Record<string, number> {
  const known = scraped.of('evenkeel_payments').filter(({ value }) => value > 0);
  return Object.fromEntries(known.map(({ labels, value }) => [labels['state']!, value]));
}

it('after paid calls, refusals and an open outcome the figures are those of the ledger', async () => {
  const statuses = [await pay(), await pay(), await pay()];
  expect(statuses).toEqual([200, 200, 200]);
  await pay({ mode: 'invalid', reason: 'insufficient_funds', on: 'verify' });
  await pay({ mode: 'refused', reason: 'insufficient_funds', on: 'settle' });
  await pay({ mode: 'reset', on: 'settle' });
  await gateway.ledger.dataSource.query(
    `UPDATE payments SET state = 'settling' WHERE id = (SELECT id FROM payments WHERE state = 'settlement_pending')`,
  );
  await pay({ mode: 'reset', on: 'settle' });

  const states = await ledgerStates();
  expect(states).toEqual({ settled: 3, settlement_failed: 1, settlement_pending: 1, settling: 1 });
  const scraped = await wholePage();
  expect(paymentStates(scraped)).toEqual(states);
  const calls = (call: string, outcome: string) =>
    scraped.value('evenkeel_facilitator_seconds_count', { call, outcome });
  expect([calls('verify', '2xx'), calls('settle', 'no_answer')]).toEqual([7, 2]);

  expect(scraped.value('evenkeel_payments_oldest_seconds')).toBeLessThan(3_600);
  await gateway.ledger.dataSource.query(
    `UPDATE payments SET created_at = created_at - interval '2 hours' WHERE state IN ('settled', 'settlement_pending')`,
  );
  const oldest = (await wholePage()).value('evenkeel_payments_oldest_seconds');
  expect(Math.floor(oldest! / 3_600)).toBe(2);
});

it('requests are counted by template, method and class of status, and unknown paths share one', async () => {
  const counted = (scraped: ScrapedPage, route: string, status: string, method = 'POST') =>
    scraped.value('evenkeel_http_requests_total', { route, method, status }) ?? 0;
  const before = await page();
  for (let call = 0; call < 3; call++) expect((await unpaid()).status).toBe(402);
  expect(await pay()).toBe(200);
  for (const nonce of ['1', '2']) await gateway.send(`/agent/v1/payments/0x${nonce.repeat(64)}`);
  for (const path of ['/wp-login.php', '/agent/v1/a/b?c=d', '/%zz']) await gateway.send(path);
  await gateway.send('/agent/v1/pricing', { method: 'DELETE' });

  const after = await page();
  const grown = (...series: [route: string, status: string, method?: string]) =>
    counted(after, ...series) - counted(before, ...series);
  expect(grown(analyze.path, '4xx')).toBe(3);
  expect(grown(analyze.path, '2xx')).toBe(1);
  expect(grown('/agent/v1/payments/:nonce', '4xx', 'GET')).toBe(2);
  expect(grown('unknown', '4xx', 'GET')).toBe(3);
  expect(grown('unknown', '4xx', 'DELETE')).toBe(1);

  const routes = new Set([...routesOf(gateway.app).map((route) => route.split(' ').at(-1)!), 'unknown']);
  for (const { labels } of after.of('evenkeel_http_requests_total')) expect(routes).toContain(labels['route']);
  const timed = { route: analyze.path, method: 'POST', status: '4xx' };
  const all = counted(after, analyze.path, '4xx');
  expect(after.value('evenkeel_http_request_seconds_count', timed)).toBe(all);
  expect(after.value('evenkeel_http_request_seconds_bucket', { ...timed, le: '+Inf' })).toBe(all);
});

it('while the facilitator is out of order, its circuit is open', async () => {
  const circuit = async () => (await page()).value('evenkeel_circuit_open', { dependency: 'facilitator_verify' });
  expect(await circuit()).toBe(0);
  gateway.clock.advanceMs(11_000);
  gateway.facilitator.control({ mode: '500', on: 'verify' });
  for (let call = 0; call < 12; call++) await gateway.pay(await gateway.aBuyer().sign());
  gateway.facilitator.control({ mode: 'ok' });
  const scraped = await page();
  expect(scraped.value('evenkeel_circuit_open', { dependency: 'facilitator_verify' })).toBe(1);
  expect(scraped.value('evenkeel_facilitator_seconds_count', { call: 'verify', outcome: '5xx' })).toBe(10);

  gateway.clock.advanceMs(6_000);
  expect(await pay()).toBe(200);
  expect(await circuit()).toBe(0);
});

it('the relay, the outbox, the connections and the last reconciliation are there', async () => {
  await eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_relay_active')).toBe(1);
    expect(scraped.value('evenkeel_outbox_unpublished')).toBe(0);
    expect(scraped.value('evenkeel_outbox_oldest_seconds')).toBe(0);
    expect(scraped.value('evenkeel_reconciliation_differences')).toBe(0);
  }, WITHIN);
  // First in the order of the outbox, so that no event of a payment that the worker settles meanwhile is before them.
  await gateway.ledger.dataSource.query(
    `INSERT INTO outbox (seq, id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload, created_at)
     OVERRIDING SYSTEM VALUE
     SELECT -n, gen_random_uuid(), 'nobody', 'a' || n, n, 't', 's', now(), '{}', now() - interval '1 hour'
     FROM generate_series(1, 3) n`,
  );
  const scraped = await eventually(async () => {
    const [before, found, after] = [await unpublished(), await page(), await unpublished()];
    expect(before).toBeGreaterThanOrEqual(3);
    expect(after).toBe(before);
    expect(found.value('evenkeel_outbox_unpublished')).toBe(before);
    return found;
  }, WITHIN);
  expect(scraped.value('evenkeel_outbox_oldest_seconds')).toBeGreaterThanOrEqual(3_600);
  expect(scraped.value('evenkeel_db_pool', { state: 'idle' })).toBeGreaterThan(0);
  expect(scraped.value('evenkeel_db_pool', { state: 'waiting' })).toBe(0);
  expect(scraped.value('evenkeel_ratelimit_degraded_total')).toBe(0);
});

it('limits that this process decides alone, because Redis is not there, are counted', async () => {
  const alone = await startGateway({ besides: gateway, settings: { REDIS_URL: 'redis://127.0.0.1:1' } });
  try {
    for (let call = 0; call < 2; call++) await alone.send(analyze.path, { method: 'POST', body: '{}' });
    const scraped = await scrape(alone.running.internalUrl);
    expect(scraped.value('evenkeel_ratelimit_degraded_total')).toBe(2);
    // Only the worker looks into the ledger.
    expect(scraped.of('evenkeel_payments').map(({ labels }) => labels['state'])).toEqual([
      'settled',
      'settlement_failed',
    ]);
  } finally {
    await alone.close();
  }
});

it('what cannot be read in time is left out, and the rest comes at once', async () => {
  const other = new Client({ connectionString: gateway.database.url });
  await other.connect();
  try {
    await other.query('BEGIN; LOCK TABLE payment_checks IN ACCESS EXCLUSIVE MODE');
    const askedAt = performance.now();
    const scraped = await page();
    // Half a second, on a machine that has other work.
    expect(performance.now() - askedAt).toBeLessThan(1_500);
    expect(scraped.value('evenkeel_scrape_missing', { source: 'payments' })).toBe(1);
    const shown = scraped.of('evenkeel_payments').map(({ labels }) => labels['state']);
    expect(shown.filter((state) => OPEN.includes(state!))).toEqual([]);
    expect(scraped.value('evenkeel_outbox_unpublished')).toBeDefined();
  } finally {
    await other.end();
  }
  await eventually(async () => {
    const scraped = await page();
    expect(scraped.value('evenkeel_scrape_missing', { source: 'payments' })).toBe(0);
    expect(scraped.value('evenkeel_payments', { state: 'settling' })).toBeDefined();
  }, WITHIN);
});

it('buyers do not see it, and no label holds an id', async () => {
  const { status, text } = await gateway.send('/metrics');
  expect(status).toBe(404);
  expect(text).not.toContain('evenkeel_');
  const values = new Set((await page()).samples.flatMap(({ labels }) => Object.values(labels)));
  for (const value of values) expect(value).not.toMatch(/0x|[0-9a-f]{8}-[0-9a-f]{4}|\d{6}/);
});
