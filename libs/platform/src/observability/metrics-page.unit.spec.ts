import { Registry } from 'prom-client';
import { eventually } from '../testing';
import { ScrapedPage } from '../testing/scrape';
import { AppRegistry, metricsPage } from './metrics-page';
import { expose, timings } from './figures';

function registryOf(service: string, orders: number): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  expose(registry, 'payments', () => [{ labels: { state: 'open' }, value: orders }]);
  expose(registry, 'payments', () => [{ labels: { state: 'paid' }, value: 5 }]);
  return registry;
}

it('a page has each metric once, with the samples of all services and sources that do not fail', async () => {
  const broken = registryOf('broken', 3);
  broken.metrics = () => Promise.reject(new Error('broken'));
  const text = await metricsPage([registryOf('shop', 2), broken, registryOf('stock', 3)])();
  const page = new ScrapedPage(text);
  expect(page.of('evenkeel_payments')).toHaveLength(4);
  expect(page.value('evenkeel_payments', { service: 'shop', state: 'open' })).toBe(2);
  expect(page.value('evenkeel_payments', { service: 'stock', state: 'paid' })).toBe(5);
  expect(text.match(/# TYPE evenkeel_payments /g)).toHaveLength(1);
});

describe('what is read for a page', () => {
  const figures = async (registry: AppRegistry) => {
    const page = new ScrapedPage(await registry.metrics());
    return [page.value('evenkeel_payments'), page.value('evenkeel_scrape_missing', { source: 'orders' })];
  };
  const withOrders = (read: () => Promise<number>): AppRegistry => {
    const registry = new AppRegistry();
    registry.show('orders', read, { payments: (orders) => [{ value: orders }] });
    return registry;
  };

  it('is on it, and is left out while it fails', async () => {
    const read = jest.fn(async () => 0);
    const registry = withOrders(read);
    expect(await figures(registry)).toEqual([0, 0]);
    read.mockRejectedValueOnce(new Error('no database'));
    expect(await figures(registry)).toEqual([undefined, 1]);
    expect(await figures(registry)).toEqual([0, 0]);
  });

  it('is waited for half a second, and asked for once at a time', async () => {
    const read = jest.fn(() => new Promise<number>(() => undefined));
    const registry = withOrders(read);
    await eventually(async () => expect(await figures(registry)).toEqual([undefined, 1]));
    await Promise.all([figures(registry), figures(registry)]);
    expect(read).toHaveBeenCalledTimes(1);
  });
});

it('timings are a histogram of the catalogue, which all of an application share', async () => {
  const registry = new AppRegistry();
  for (const seconds of [0.001, 0.0011, 0.3, 60])
    timings('worker_duty_seconds', registry).observe({ duty: 'buy', outcome: 'done' }, seconds);
  const page = new ScrapedPage(await registry.metrics());
  const below = (le: string) => page.value('evenkeel_worker_duty_seconds_bucket', { duty: 'buy', le });
  expect(['0.001', '0.0025', '0.5', '10', '+Inf'].map(below)).toEqual([1, 2, 3, 3, 4]);
});
