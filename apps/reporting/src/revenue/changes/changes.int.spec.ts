import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import type { RevenueChangesView } from './read-changes';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start({ RATE_LIMIT_SCALE: '1' });
});
afterAll(() => reporting.close());

const changes = (since = '') => reporting.answer<RevenueChangesView>(`changes${since && `?since=${since}`}`);

it('is all at first, and nothing until something is applied', async () => {
  const first = await changes();
  expect(first.changed).toEqual(['calls', 'subscriptions']);
  const { status, text, headers } = await reporting.read(`changes?since=${first.version}`);
  expect([status, text, headers.get('x-as-of')]).toEqual([204, '', reporting.clock.now().toISOString()]);
  expect(headers.get('x-lag-seconds')).toMatch(/^\d+(\.\d)?$/);

  await reporting.publish(...publishedOf([aPayment()]));
  const second = await changes(first.version);
  expect(second.changed).toEqual(['calls']);
  expect((await reporting.read(`changes?since=${second.version}`)).status).toBe(204);
});

it('is all on a new day, and for a version that is not ours', async () => {
  const { version } = await changes();
  expect((await changes('yesterday')).changed).toEqual(['calls', 'subscriptions']);
  reporting.clock.advanceMs(86_400_000);
  expect((await changes(version)).changed).toEqual(['calls', 'subscriptions']);
});

it('leaves room for six pages that ask four times a minute, and read all of what changed twice', async () => {
  reporting.clock.advanceMs(120_000);
  const statuses = [];
  for (let page = 0; page < 6; page++) {
    for (let poll = 0; poll < 4; poll++) statuses.push((await reporting.read('changes')).status);
    const reads = ['summary', 'endpoints', 'timeseries', 'payments', 'customers', 'reconciliation', 'credits'];
    for (const read of [...reads, ...reads]) statuses.push((await reporting.read(read)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
});
