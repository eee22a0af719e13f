import { APP_NAMES, METRICS, type MetricName } from '@evenkeel/contracts';
import { eventually, scrape, type ScrapedPage } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import Stripe from 'stripe';
import { LocalRun } from './local-run.fixture';
import { aPaidRequest } from './paid-request.fixture';
import { send } from './send.fixture';

const WITHIN = { withinMs: 60_000 };
/** Before the first reconciliation there are no figures of one, and no answer of the facilitator was unusable. */
const MAY_BE_ABSENT: readonly MetricName[] = [
  'reconciliation_differences',
  'provider_differences',
  'reconciled_at_seconds',
  'facilitator_unusable_total',
];

describe('one process', () => {
  let local: LocalRun;
  let stripe: DevelopmentStripe;
  beforeAll(async () => {
    stripe = await DevelopmentStripe.start();
    local = new LocalRun({ ...stripe.settings() });
  });
  afterAll(async () => {
    await local.close();
    await stripe.close();
  }, 60_000);

  const page = async () => scrape(await local.internalUrl());
  /** Of our own metrics, without parts of histograms. */
  const namesOn = ({ samples }: ScrapedPage) =>
    new Set(samples.flatMap(({ name }) => /^evenkeel_(.*?)(?:_bucket|_sum|_count)?$/.exec(name)?.[1] ?? []));

  it('shows all services on one page, each with figures of its own', async () => {
    const url = await local.url();
    await fetch(`${url}/dashboard`);
    expect((await send(url, await aPaidRequest())).status).toBe(200);
    expect((await send(url, await aPaidRequest({ chainId: 1 }))).status).toBe(402);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);

    const shown = await page();
    expect(shown.value('process_start_time_seconds', { service: 'standalone' })).toBeGreaterThan(0);
    const requests = 'evenkeel_http_requests_total';
    expect(shown.value(requests, { route: '/dashboard', status: '2xx', service: 'reporting' })).toBe(1);
    expect(shown.of(requests, { route: '/dashboard', service: 'agent-gateway' })).toEqual([]);
    for (const service of APP_NAMES) {
      expect(shown.value('evenkeel_db_pool', { service, state: 'busy' })).toBeGreaterThanOrEqual(0);
    }
    await eventually(async () => {
      const later = await page();
      expect(later.value('evenkeel_consumer_lag', { subscription: 'reporting', service: 'reporting' })).toBe(0);
      expect(later.value('evenkeel_relay_active', { service: 'agent-gateway' })).toBe(1);
    }, WITHIN);
  }, 120_000);

  it('counts webhooks as billing stores the events, and those of which nobody knows whose they are', async () => {
    stripe.sendTo(`${await local.url()}/v1/billing/webhook/stripe`);
    const { hostname: host, port } = new URL(stripe.url);
    const client = new Stripe(stripe.secretKey, { host, port, protocol: 'http' });
    // No user of ours: its events wait for one.
    const customer = await client.customers.create({});
    const session = await client.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: stripe.prices.monthly, quantity: 1 }],
      success_url: 'http://localhost:8080/paid',
      cancel_url: 'http://localhost:8080/left',
    });
    await stripe.pay(session.id);
    await stripe.delivered();

    const shown = await page();
    const stored = await local.ask<{ type: string; count: number }>(
      'billing',
      `SELECT type, count(*)::integer FROM provider_events WHERE id LIKE 'evt\\_%' GROUP BY type ORDER BY type`,
    );
    expect(stored.length).toBeGreaterThan(2);
    const counted = shown.of('evenkeel_webhooks_total').filter(({ labels }) => labels['type'] !== 'other');
    const totals = new Map<string, number>();
    for (const { labels, value } of counted) totals.set(labels['type']!, (totals.get(labels['type']!) ?? 0) + value);
    expect(totals).toEqual(new Map(stored.map(({ type, count }) => [type, count])));
    const [unlinked] = await local.ask<{ count: number }>(
      'billing',
      `SELECT count(*)::integer FROM provider_events WHERE reason = 'unmatched_customer'`,
    );
    expect(unlinked!.count).toBeGreaterThan(0);
    expect(shown.value('evenkeel_unlinked_events')).toBe(unlinked!.count);
  }, 120_000);

  it('shows no metric beside the catalogue, no label beside its own, and no id', async () => {
    const expected = Object.keys(METRICS).filter((name) => !MAY_BE_ABSENT.includes(name as MetricName));
    await eventually(async () => {
      const names = namesOn(await page());
      expect(expected.filter((name) => !names.has(name))).toEqual([]);
    }, WITHIN);
    const shown = await page();
    for (const { name, labels } of shown.samples) {
      const [, metric] = /^evenkeel_(.*?)(?:_bucket|_sum|_count)?$/.exec(name) ?? [];
      if (metric === undefined) continue;
      const known: readonly string[] = METRICS[metric as MetricName].labels;
      const extra = name.endsWith('_bucket') ? ['service', 'le'] : ['service'];
      expect([metric, ...Object.keys(labels).sort()]).toEqual([metric, ...[...known, ...extra].sort()]);
      for (const value of Object.values(labels))
        expect(value).not.toMatch(/0x|[0-9a-f]{8}-[0-9a-f]{4}|\d{6}|\b(?:evt|cus|sub|in|cs)_/);
    }
  }, 120_000);
});
