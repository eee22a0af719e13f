import { startEchoApp } from './echo-app.fixture';
import { send } from './http.fixture';
import type { RunningHttp } from './run-http';

const lines: string[] = [];
let running: RunningHttp;
beforeAll(async () => (running = await startEchoApp(lines)));
afterAll(() => running.close());

const get = (path: string, headers: Record<string, string> = {}) => send(running.url + path, { headers });

describe('errors', () => {
  it('carry code, message and details', async () => {
    const answer = await get('/v1/declined');
    expect(answer.status).toBe(402);
    expect(answer.json()).toEqual({
      error: 'card_declined',
      message: 'The card was declined.',
      details: { try: 'another' },
    });
  });

  it('send whole seconds to wait', async () => {
    expect((await get('/agent/v1/overloaded')).headers['retry-after']).toBe('2');
  });

  it('hide what failed and record it under the request id', async () => {
    const answer = await get('/v1/broken', { 'x-request-id': 'find-me-42' });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(answer.json().error).toBe('internal_error');
    const recorded = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(recorded).toContainEqual(expect.objectContaining({ requestId: 'find-me-42', msg: 'request failed' }));
  });

  it('become problem documents on request', async () => {
    const answer = await get('/v1/declined', { accept: 'application/problem+json' });
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toEqual({
      type: 'https://api.example/docs/errors#card_declined',
      title: 'Card declined',
      status: 402,
      detail: 'The card was declined.',
      error: 'card_declined',
      message: 'The card was declined.',
      details: { try: 'another' },
    });
  });
});

describe('headers', () => {
  it.each(['/agent/v1/bytes', '/nothing', '/v1/broken', '/%zz'])('are on every answer: %s', async (path) => {
    expect((await get(path)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
      'x-request-id': expect.stringMatching(/^[\w.-]{8,128}$/),
    });
  });

  it('forbid caching unless the handler says otherwise', async () => {
    expect((await get('/v1/declined')).headers['cache-control']).toBe('no-store');
    expect((await get('/agent/v1/bytes')).headers['cache-control']).toBe('public, max-age=300');
  });

  it.each([
    ['abcDEF.-_09', true],
    ['short', false],
    ['has space inside', false],
    ['a'.repeat(129), false],
  ])('echo the request id %p: %p', async (given, echoed) => {
    const { headers } = await get('/nothing', { 'x-request-id': given });
    expect(headers['x-request-id'] === given).toBe(echoed);
  });
});

describe('CORS', () => {
  const origin = 'https://elsewhere.example';
  const preflight = (path: string, from = origin) =>
    send(running.url + path, { method: 'OPTIONS', headers: { origin: from, 'access-control-request-method': 'POST' } });

  it.each(['/agent/v1/echo', '/v1/echo', '/nothing', '/', '/v1/things/7', '/%zz'])(
    'answers OPTIONS with 204: %s',
    async (path) => {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
    },
  );

  it('opens to every origin what has such terms of its own', async () => {
    const { headers } = await get('/agent/v1/bytes', { origin });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toMatch(/^PAYMENT-REQUIRED, /);
    expect(headers.vary).toBeUndefined();
  });

  it('opens everything else to the listed origins only', async () => {
    expect((await preflight('/v1/echo')).headers['access-control-allow-origin']).toBeUndefined();
    expect((await preflight('/%761/echo')).headers['access-control-allow-origin']).toBeUndefined();
    const listed = await preflight('/v1/echo', 'https://app.example');
    expect(listed.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(listed.headers.vary).toBe('Origin');
    expect(listed.headers['access-control-allow-headers']).toMatch(/^Content-Type, Authorization, X-PAYMENT, /);
    expect(listed.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

it('logs one line per request with the network of the caller and without the query', async () => {
  lines.length = 0;
  await get('/v1/declined?token=abc', { 'x-forwarded-for': '10.1.1.1, 203.0.113.77' });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    method: 'GET',
    path: '/v1/declined',
    status: 402,
    network: '203.0.113.0/24',
    durationMs: expect.any(Number),
  });
  expect(lines[0]).not.toContain('abc');
});
