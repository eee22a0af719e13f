import { eventually, scrape, type ScrapedPage, type TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv } from './gateway-programs.fixture';
import { LocalRun } from './local-run.fixture';
import { aPaidRequest } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import { send } from './send.fixture';

const route = '/agent/v1/habits/analyze';
const answered = { route, method: 'POST', status: '2xx' };
const WITHIN = { withinMs: 20_000 };

function expectNode(page: ScrapedPage, service: string): void {
  expect(page.value('process_start_time_seconds', { service })).toBeGreaterThan(0);
  expect(page.value('nodejs_eventloop_lag_seconds', { service })).toBeGreaterThanOrEqual(0);
}

describe('one process', () => {
  let local: LocalRun;
  beforeAll(() => void (local = new LocalRun()));
  afterAll(() => local.close(), 60_000);

  it('shows both services on one page, each with figures of its own', async () => {
    const url = await local.url();
    const internalUrl = await local.internalUrl();
    expect((await send(url, await aPaidRequest())).status).toBe(200);
    await fetch(`${url}/dashboard`);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);

    const page = await scrape(internalUrl);
    expectNode(page, 'standalone');
    const requests = 'evenkeel_http_requests_total';
    expect(page.value(requests, { ...answered, service: 'agent-gateway' })).toBe(1);
    expect(page.value(requests, { route: '/dashboard', status: '2xx', service: 'reporting' })).toBe(1);
    expect(page.of(requests, { route: '/dashboard', service: 'agent-gateway' })).toEqual([]);
    for (const service of ['agent-gateway', 'reporting']) {
      expect(page.value('evenkeel_db_pool', { service, state: 'busy' })).toBeGreaterThanOrEqual(0);
    }
    expect(page.value('evenkeel_payments', { state: 'settled' })).toBe(1);
    await eventually(async () => {
      const later = await scrape(internalUrl);
      expect(later.value('evenkeel_consumer_lag', { subscription: 'reporting', service: 'reporting' })).toBe(0);
      expect(later.value('evenkeel_relay_active', { service: 'agent-gateway' })).toBe(1);
    }, WITHIN);
  }, 120_000);
});

describe('main and worker', () => {
  let database: TestDatabase;
  afterAll(async () => {
    await stopPrograms();
    await database?.drop();
  }, 60_000);

  it('show what each of them does', async () => {
    const facilitator = await FacilitatorProgram.start();
    database = await gatewayDatabase();
    const env = gatewayEnv(database, facilitator);
    const programs = ['main', 'worker'].map((name) => Program.start(`apps/agent-gateway/src/${name}.ts`, env));
    const [main, worker] = await Promise.all(programs.map((program) => program.ready()));
    expect((await send(main!.url, await aPaidRequest())).status).toBe(200);

    const ofMain = await scrape(main!.internalUrl);
    expectNode(ofMain, 'agent-gateway');
    expect(ofMain.value('evenkeel_http_requests_total', answered)).toBe(1);
    expect(ofMain.value('evenkeel_payments', { state: 'settled' })).toBe(1);
    expect(ofMain.of('evenkeel_outbox_unpublished')).toEqual([]);
    await eventually(async () => {
      const ofWorker = await scrape(worker!.internalUrl);
      expectNode(ofWorker, 'agent-gateway-worker');
      expect(ofWorker.value('evenkeel_relay_active', { service: 'agent-gateway' })).toBe(1);
      expect(ofWorker.value('evenkeel_outbox_unpublished')).toBe(0);
      expect(ofWorker.value('evenkeel_payments', { state: 'settlement_pending' })).toBe(0);
      expect(ofWorker.of('evenkeel_http_requests_total')).toEqual([]);
    }, WITHIN);
  }, 120_000);
});
