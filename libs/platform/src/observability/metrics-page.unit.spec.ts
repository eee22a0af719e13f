import { Registry } from 'prom-client';
import { ScrapedPage } from '../testing/scrape';
import { AppRegistry, metricsPage } from './metrics-page';
import { expose, timings } from './figures';

function registryOf(service: string, orders: number): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const samples = () => [{ labels: { state: 'open' }, value: orders }];
  expose(registry, 'payments', samples);
  return registry;
}

describe('a page of several registries', () => {
  it('has each metric once, and the samples of each service beside each other', async () => {
    const text = await metricsPage([registryOf('shop', 2), registryOf('stock', 3)])();
    const page = new ScrapedPage(text);
    expect(page.value('evenkeel_payments', { service: 'shop', state: 'open' })).toBe(2);
    expect(page.value('evenkeel_payments', { service: 'stock', state: 'open' })).toBe(3);
  });

  it('has the samples of several sources of one metric beside each other', async () => {
    const registry = registryOf('shop', 2);
    const samples = () => [{ labels: { state: 'paid' }, value: 5 }];
    expose(registry, 'payments', samples);
    const page = new ScrapedPage(await metricsPage([registry])());
    expect([
      page.value('evenkeel_payments', { state: 'open' }),
      page.value('evenkeel_payments', { state: 'paid' }),
    ]).toEqual([2, 5]);
  });

  it('leaves out a registry that fails', async () => {
    const broken = registryOf('stock', 3);
    broken.metrics = () => Promise.reject(new Error('broken'));
    const page = new ScrapedPage(await metricsPage([broken, registryOf('shop', 2)])());
    expect(page.of('evenkeel_payments')).toHaveLength(1);
  });
});

describe('what is read for a page', () => {
  function withOrders(read: () => Promise<number>): AppRegistry {
    const registry = new AppRegistry();
    let orders: number | null = null;
    registry.read('orders', read, (found) => (orders = found));
    const samples = () => (orders === null ? [] : [{ value: orders }]);
    expose(registry, 'payments', samples);
    return registry;
  }
  const pageOf = async (registry: AppRegistry) => new ScrapedPage(await registry.metrics());

  it('is on it, and is left out while it fails', async () => {
    let failing = false;
    const registry = withOrders(async () => {
      if (failing) throw new Error('no database');
      return 0;
    });
    expect((await pageOf(registry)).value('evenkeel_payments')).toBe(0);
    failing = true;
    const page = await pageOf(registry);
    expect([page.value('evenkeel_payments'), page.value('evenkeel_scrape_missing', { source: 'orders' })]).toEqual([
      undefined,
      1,
    ]);
    failing = false;
    expect((await pageOf(registry)).value('evenkeel_scrape_missing', { source: 'orders' })).toBe(0);
  });

  it('is waited for half a second, and asked for once at a time', async () => {
    let asked = 0;
    const registry = withOrders(() => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const pages = await Promise.all([pageOf(registry), pageOf(registry)]);
    for (const page of pages) expect(page.value('evenkeel_payments')).toBeUndefined();
    await pageOf(registry);
    expect(asked).toBe(1);
  });
});

it('timings are a histogram of the catalogue, which all of an application share', async () => {
  const registry = new AppRegistry();
  for (const seconds of [0.001, 0.0011, 0.3, 60])
    timings('worker_duty_seconds', registry).observe({ duty: 'buy', outcome: 'done' }, seconds);
  const page = new ScrapedPage(await registry.metrics());
  const below = (le: string) => page.value('evenkeel_worker_duty_seconds_bucket', { duty: 'buy', le });
  expect(['0.001', '0.0025', '0.5', '10', '+Inf'].map(below)).toEqual([1, 2, 3, 3, 4]);
  expect(page.value('evenkeel_worker_duty_seconds_count', { outcome: 'done' })).toBe(4);
  expect(page.value('evenkeel_worker_duty_seconds_sum', { duty: 'buy' })).toBeCloseTo(60.3021, 6);
});
