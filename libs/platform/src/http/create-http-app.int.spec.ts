import { startEchoApp } from './echo-app.fixture';
import { send, sendBytes } from './http.fixture';
import type { RunningHttp } from './run-http';

const lines: string[] = [];
let running: RunningHttp;
beforeAll(async () => (running = await startEchoApp(lines)));
afterAll(() => running.close());

const get = (path: string, headers: Record<string, string> = {}) => send(running.url + path, { headers });
const post = (path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
  send(running.url + path, { method: 'POST', body, headers });

describe('bodies', () => {
  it.each<[string | undefined, string | undefined]>([
    ['application/json', '{"a":'],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['text/plain; charset=latin1', 'hello'],
    ...['json', ';', 'a/b/c', 'appli cation/json', '/', ''].map((type): [string, string] => [type, '{}']),
    [undefined, undefined],
  ])('arrive as the bytes that came: %p, %p', async (type, body) => {
    const answer = await post('/v1/echo', body, type === undefined ? {} : { 'content-type': type });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ isBuffer: body !== undefined, text: body ?? null });
  });

  it.each([
    ['/v1/echo', 1_024],
    ['/v1/longer', 2_000],
    ['/v1/shorter', 10],
  ])('have the cap of their route: %s', async (path, cap) => {
    expect((await post(path, Buffer.alloc(cap, 'a'))).status).toBe(200);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await post(path, Buffer.alloc(cap + 1, 'a'), headers as Record<string, string>);
      const refusal = { error: 'payload_too_large', details: { max_bytes: cap } };
      expect([answer.status, answer.json()]).toEqual([413, expect.objectContaining(refusal)]);
    }
  });

  it.each([
    ['announced', 'Content-Length: 100000\r\n\r\n', ''],
    ['chunked', 'Transfer-Encoding: chunked\r\n\r\n186a0\r\n', '\r\n0\r\n\r\n'],
  ])(
    'over the cap are read to their end: their senders get the answer, not a reset: %s',
    async (_how, before, after) => {
      const body = before + 'a'.repeat(100_000) + after;
      const next = 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      const answers = await sendBytes(running.url, `POST /v1/echo HTTP/1.1\r\nHost: a\r\n${body}${next}`);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 404']);
    },
  );
});

it.each([
  ['of a body over the cap', `POST /v1/echo HTTP/1.1\r\nContent-Length: 1025\r\n`, 'a'.repeat(1_025)],
  ['of a handler', 'GET /v1/declined HTTP/1.1\r\n', ''],
])('the refusal %s says whether the connection stays', async (_what, head, body) => {
  const request = (connection: string) => `${head}Host: a\r\nConnection: ${connection}\r\n\r\n${body}`;
  const answers = await sendBytes(running.url, request('keep-alive') + request('close'));
  expect(answers.match(/(?<=^connection: ).*$/gim)!.map((said) => said.trim())).toEqual(['keep-alive', 'close']);
});

describe('addresses', () => {
  it('that are unknown are answered 404 in the documented shape, before a body is read', async () => {
    const answer = await post('/nothing/here?x=1', Buffer.alloc(5_000));
    const body = { error: 'not_found', message: 'There is nothing at this address.' };
    expect([answer.status, answer.json()]).toEqual([404, body]);
  });

  it.each([
    ['DELETE', '/v1/things/018f0000-0000-7000-8000-000000000000', 'GET, HEAD, PUT'],
    ['GET', '/v1/echo?a=b', 'POST'],
  ])('answer other methods with 405 and Allow: %s %s', async (method, path, allow) => {
    const answer = await send(running.url + path, { method });
    expect([answer.status, answer.headers.allow, answer.json().error]).toEqual([405, allow, 'method_not_allowed']);
  });

  it('answer HEAD where they answer GET', async () => {
    const answer = await send(`${running.url}/agent/v1/bytes`, { method: 'HEAD' });
    expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([200, '2', '']);
  });

  it.each(['/%', '/v1/things/%zz', '/%c0%ae', '/v1/things/7'])(
    'that cannot be read are answered 400: %s',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.json()]).toEqual([
        400,
        { error: 'validation_failed', message: 'The request is not valid.' },
      ]);
    },
  );

  it.each(['http://', 'http://[/', 'http:///v1/echo', 'http://host:99999/v1/echo', 'http://host/v1/echo#part'])(
    'of a proxy that name no host are answered 400: %s',
    async (target) => {
      const answer = await sendBytes(running.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*x-request-id: .*\{"error":"validation_failed"/is);
    },
  );

  it('with a parameter of any length are answered 404', async () => {
    expect((await get(`/v1/things/${'a'.repeat(2_000)}`)).status).toBe(404);
  });

  it.each(['/v1/echo', '/nothing'])('with a query without end are answered 414: %s', async (path) => {
    const query = (length: number) => `${path}?${'a'.repeat(length - path.length - 1)}`;
    const answer = await get(query(8_193));
    const body: unknown = expect.objectContaining({ error: 'uri_too_long', details: { max_bytes: 8_192 } });
    expect([answer.status, answer.json()]).toEqual([414, body]);
    expect((await get(query(8_192))).status).not.toBe(414);
  });
});

describe('bytes that are no HTTP', () => {
  const bothLengths = 'Content-Length: 1\r\nTransfer-Encoding: chunked';
  it.each([
    ['noise', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two lengths', 'POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['length and chunks', `POST / HTTP/1.1\r\nHost: a\r\n${bothLengths}\r\n\r\n0`, 400],
    ['endless headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['many headers', `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'a'.repeat(1_000)}\r\n`.repeat(17)}\r\n`, 431],
    ['an endless address', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n', 400],
    ['no host', 'GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n', 404],
    ['another expectation', 'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: cake\r\nConnection: close\r\n\r\n', 404],
    ['an upgrade', 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n', 404],
    ['an odd target', 'GET *v1/declined HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ])('get a documented answer: %s', async (_what, bytes, status) => {
    const answer = await sendBytes(running.url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*x-request-id: `, 'i'));
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), message: expect.any(String) });
  });
});

const DECLINED = { error: 'card_declined', message: 'The card was declined.', details: { try: 'another' } };

it('an error has code, message and details', async () => {
  const answer = await get('/v1/declined');
  expect([answer.status, answer.json()]).toEqual([402, DECLINED]);
});

it('an error is a problem document for who asks for one', async () => {
  const answer = await get('/v1/declined', { accept: 'application/problem+json' });
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const type = 'https://api.example/problems/card_declined';
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
