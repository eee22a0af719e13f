import { request } from 'node:http';
import { scrape } from '@evenkeel/platform/testing';
import { type Gateway, startGateway } from '../gateway.fixture';
import { UnpaidRequests } from './unpaid-requests';
import { analyze } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A query leads a request to the framework, and changes nothing else. */
const BY_THE_FRAMEWORK = '?framework';
const VALID = JSON.stringify(analyze.exampleInput);

async function offered(search: string, { body, headers }: { body?: string; headers?: Record<string, string> }) {
  const {
    status,
    headers: answered,
    text,
  } = await gateway.send(analyze.path + search, { method: 'POST', headers, body });
  const { date: _date, ratelimit: _window, ...rest } = Object.fromEntries(answered);
  return { status, headers: { ...rest, 'x-request-id': headers?.['x-request-id'] ?? 'new' }, text };
}

const json = { 'content-type': 'application/json' };

it.each([
  ['no body', {}],
  ['a valid body', { body: VALID, headers: json }],
  ['an invalid body', { body: '{"habits":[]}', headers: json }],
  ['no JSON', { body: 'none', headers: json }],
  ['another type', { body: VALID, headers: { 'content-type': 'text/plain' } }],
  ['a type that is none', { body: VALID, headers: { 'content-type': 'é' } }],
  ['a page of another origin', { body: VALID, headers: { ...json, origin: 'https://shop.example' } }],
  ['a request id', { body: VALID, headers: { ...json, 'x-request-id': 'mine-12345' } }],
  ['a wish for a problem document', { body: VALID, headers: { ...json, accept: 'application/problem+json' } }],
])('%s has the answer that the framework gives', async (_, sent) => {
  const early = await offered('', sent);
  expect(early.status).toBe(402);
  expect(early).toEqual(await offered(BY_THE_FRAMEWORK, sent));
});

it('a body over the cap is refused as by the framework', async () => {
  const sent = { body: `{"habits":"${'x'.repeat(1_100_000)}"}`, headers: json };
  const early = await offered('', sent);
  expect(early.status).toBe(413);
  expect(early).toEqual(await offered(BY_THE_FRAMEWORK, sent));
});

it('a body in pieces is one body', async () => {
  const { port } = new URL(gateway.running.url);
  const call = request({
    port,
    path: analyze.path,
    method: 'POST',
    headers: { ...json, 'content-length': VALID.length },
  });
  const text = new Promise<string>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      response.toArray().then((parts: Buffer[]) => resolve(Buffer.concat(parts).toString()), reject);
    });
  });
  call.write(VALID.slice(0, 20));
  await new Promise(setImmediate);
  call.end(VALID.slice(20));
  expect(JSON.parse(await text)).toMatchObject({ extensions: { preflight: { body_present: true, valid: true } } });
});

it('each is counted, by the limit of its address and in the metrics', async () => {
  const labels = { route: analyze.path, method: 'POST', status: '4xx' };
  const counted = async () =>
    (await scrape(gateway.running.internalUrl)).value('evenkeel_http_requests_total', labels)!;
  const remaining = async (search: string) => {
    const { headers } = await gateway.send(analyze.path + search, { method: 'POST' });
    return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
  };
  const before = await counted();
  const first = await remaining('');
  expect([await remaining(BY_THE_FRAMEWORK), await remaining('')]).toEqual([first - 1, first - 2]);
  expect(await counted()).toBe(before + 3);
});

it('over the limit it is 429, and is not counted again', async () => {
  const limited = await startGateway({
    besides: gateway,
    settings: { RATE_LIMIT_SCALE: '1', RATE_AGENT_ADDRESS: '2/60' },
  });
  try {
    const statuses: number[] = [];
    for (const search of ['', '', '', BY_THE_FRAMEWORK]) {
      statuses.push((await limited.send(analyze.path + search, { method: 'POST' })).status);
    }
    expect(statuses).toEqual([402, 402, 429, 429]);
  } finally {
    await limited.close();
  }
});

it('what fails unforeseen is the documented 500', async () => {
  const unpaid = gateway.app.get(UnpaidRequests);
  jest.spyOn(unpaid, 'answer').mockRejectedValueOnce(new Error('unforeseen'));
  const { status, body } = await gateway.send(analyze.path, { method: 'POST' });
  expect([status, body]).toMatchObject([500, { error: 'internal_error', details: { charged: false } }]);
});
