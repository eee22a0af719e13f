import { APP_NAMES, METRICS, type MetricName } from '@evenkeel/contracts';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { LocalRun } from './local-run.fixture';
import { aPaidRequest, send } from './paid-request.fixture';

const WITHIN = { withinMs: 60_000 };
/** Before the first reconciliation there are no figures of one, and no answer of the facilitator was unusable. */
const MAY_BE_ABSENT = [
  'reconciliation_differences',
  'provider_differences',
  'reconciled_at_seconds',
  'facilitator_unusable_total',
];

jest.setTimeout(120_000);

let local: LocalRun;
let stripe: DevelopmentStripe;
beforeAll(async () => {
  stripe = await DevelopmentStripe.start();
  local = new LocalRun({ ...stripe.settings() });
  const url = await local.url();
  stripe.sendTo(`${url}/v1/billing/webhook/stripe`);
  await fetch(`${url}/dashboard`);
  expect((await send(url, await aPaidRequest())).status).toBe(200);
  expect((await send(url, await aPaidRequest({ chainId: 1 }))).status).toBe(402);
  // No user of ours: its events wait for one.
  await stripe.sellByHand({ prices: [stripe.prices.monthly] });
  await stripe.delivered();
});
afterAll(async () => {
  await local.close();
  await stripe.close();
}, 60_000);

const page = async () => scrape(await local.internalUrl());
/** Of our own metrics, without the part of a histogram. */
const metricOf = (name: string) => /^evenkeel_(.*?)(?:_bucket|_sum|_count)?$/.exec(name)?.[1];

it('one process shows all services on one page, each with figures of its own', async () => {
  expect((await fetch(`${await local.url()}/metrics`)).status).toBe(404);
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
});

it('shows no metric beside the catalogue, no label beside its own, and no id', async () => {
  const expected = Object.keys(METRICS).filter((name) => !MAY_BE_ABSENT.includes(name));
  await eventually(async () => {
    const names = new Set((await page()).samples.map(({ name }) => metricOf(name)));
    expect(expected.filter((name) => !names.has(name))).toEqual([]);
  }, WITHIN);
  for (const { name, labels } of (await page()).samples) {
    const metric = metricOf(name) as MetricName | undefined;
    if (metric === undefined) continue;
    const extra = name.endsWith('_bucket') ? ['service', 'le'] : ['service'];
    const known: readonly string[] = [...METRICS[metric].labels, ...extra];
    expect([metric, ...Object.keys(labels).sort()]).toEqual([metric, ...[...known].sort()]);
    for (const value of Object.values(labels)) {
      expect(value).not.toMatch(/0x|[0-9a-f]{8}-[0-9a-f]{4}|\d{6}|\b(?:evt|cus|sub|in|cs)_/);
    }
  }
});
