import { startEchoApp } from './echo-app.fixture';
import { send } from './http.fixture';
import type { RunningHttp } from './run-http';

const lines: string[] = [];
let running: RunningHttp;
beforeAll(async () => (running = await startEchoApp(lines)));
afterAll(() => running.close());

const get = (path: string, headers: Record<string, string> = {}) => send(running.url + path, { headers });
const DECLINED = { error: 'card_declined', message: 'The card was declined.', details: { try: 'another' } };

it('an error has code, message and details', async () => {
  const answer = await get('/v1/declined');
  expect([answer.status, answer.json()]).toEqual([402, DECLINED]);
});

it('an error is a problem document for who asks for one', async () => {
  const answer = await get('/v1/declined', { accept: 'application/problem+json' });
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const type = 'https://api.example/docs/errors#card_declined';
  expect(answer.json()).toEqual({ type, title: 'Card declined', status: 402, detail: DECLINED.message, ...DECLINED });
});

it('an unforeseen error is recorded under the request id, and hidden', async () => {
  const answer = await get('/v1/broken', { 'x-request-id': 'find-me-42' });
  expect([answer.status, answer.json().error]).toEqual([500, 'internal_error']);
  expect(answer.text).not.toContain('secret');
  const recorded = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(recorded).toContainEqual(expect.objectContaining({ requestId: 'find-me-42', msg: 'request failed' }));
});

it('the time to wait is in whole seconds', async () => {
  expect((await get('/agent/v1/overloaded')).headers['retry-after']).toBe('2');
});

it.each([
  ['/agent/v1/bytes', 'public, max-age=300'],
  ['/nothing', 'no-store'],
  ['/v1/broken', 'no-store'],
  ['/%zz', 'no-store'],
])(
  'the headers of a JSON API are on every answer, which a handler alone may let be stored: %s',
  async (path, stored) => {
    expect((await get(path)).headers).toMatchObject({
      'cache-control': stored,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
      'x-request-id': expect.stringMatching(/^[\w.-]{8,128}$/),
    });
  },
);

it.each([
  ['abcDEF.-_09', true],
  ['short', false],
  ['has space inside', false],
  ['a'.repeat(129), false],
])('the request id %p is echoed: %p', async (given, echoed) => {
  const { headers } = await get('/nothing', { 'x-request-id': given });
  expect(headers['x-request-id'] === given).toBe(echoed);
});

describe('CORS', () => {
  const elsewhere = 'https://elsewhere.example';
  const preflight = (path: string, origin = elsewhere) =>
    send(running.url + path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });

  it.each(['/agent/v1/echo', '/nothing', '/', '/v1/things/7', '/%zz'])('answers OPTIONS with 204: %s', async (path) => {
    const { status, text } = await preflight(path);
    expect([status, text]).toEqual([204, '']);
  });

  it('opens to every origin what has such terms of its own', async () => {
    const { headers } = await get('/agent/v1/bytes', { origin: elsewhere });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toMatch(/^PAYMENT-REQUIRED, /);
    expect(headers.vary).toBeUndefined();
  });

  it('opens everything else to the listed origins only', async () => {
    for (const path of ['/v1/echo', '/%761/echo'])
      expect((await preflight(path)).headers['access-control-allow-origin']).toBeUndefined();
    const { headers } = await preflight('/v1/echo', 'https://app.example');
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example', vary: 'Origin' });
    expect(headers['access-control-allow-headers']).toMatch(/^Content-Type, Authorization, X-PAYMENT, /);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });
});

it('a request is one line of the log, with the network of the caller and without the query', async () => {
  lines.length = 0;
  await get('/v1/declined?token=abc', { 'x-forwarded-for': '10.1.1.1, 203.0.113.77' });
  const durationMs: unknown = expect.any(Number);
  const line = { method: 'GET', path: '/v1/declined', status: 402, network: '203.0.113.0/24', durationMs };
  expect(lines.map((text) => JSON.parse(text) as object)).toEqual([expect.objectContaining(line)]);
  expect(lines[0]).not.toContain('abc');
});
