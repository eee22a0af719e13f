import { startEchoApp } from './echo-app.fixture';
import { send, sendBytes } from './http.fixture';
import type { RunningHttp } from './run-http';

let running: RunningHttp;
beforeAll(async () => (running = await startEchoApp()));
afterAll(() => running.close());

const get = (path: string) => send(running.url + path);
const post = (path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
  send(running.url + path, { method: 'POST', body, headers });

describe('bodies', () => {
  it.each([
    ['JSON', 'application/json', '{"a":1}'],
    ['broken JSON', 'application/json', '{"a":'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['plain text', 'text/plain; charset=latin1', 'hello'],
    ['no type', undefined, '{"a":1}'],
  ])('arrive as bytes: %s', async (_what, type, body) => {
    const answer = await post('/v1/echo', body, type ? { 'content-type': type } : {});
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ isBuffer: true, text: body, type: type ?? null });
  });

  it.each(['json', ';', 'a/b/c', 'appli cation/json', '/', ''])('reach the handler under the type %p', async (type) => {
    const answer = await post('/v1/echo', '{}', { 'content-type': type });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ isBuffer: true, text: '{}' });
  });

  it('are undefined when there are none', async () => {
    expect((await post('/v1/echo')).json()).toMatchObject({ isBuffer: false });
  });

  it.each([
    ['announced', { 'content-length': '1025' }],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('over the cap give 413: %s', async (_how, headers) => {
    const answer = await post('/v1/echo', Buffer.alloc(1_025, 'a'), headers);
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ error: 'payload_too_large', details: { max_bytes: 1_024 } });
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

  it.each([
    ['/v1/longer', 2_000],
    ['/v1/shorter', 10],
  ])('have the cap of their route: %s', async (path, cap) => {
    expect((await post(path, Buffer.alloc(cap, 'a'))).status).toBe(200);
    const answer = await post(path, Buffer.alloc(cap + 1, 'a'));
    expect([answer.status, answer.json().details]).toEqual([413, { max_bytes: cap }]);
    const chunked = await post(path, Buffer.alloc(cap + 1, 'a'), { 'transfer-encoding': 'chunked' });
    expect([chunked.status, chunked.json().details]).toEqual([413, { max_bytes: cap }]);
  });

  it('at the cap pass', async () => {
    expect((await post('/v1/echo', Buffer.alloc(1_024, 'a'))).status).toBe(200);
  });
});

it.each([
  ['of a body over the cap', `POST /v1/echo HTTP/1.1\r\nContent-Length: 1025\r\n`, 'a'.repeat(1_025)],
  ['of an unknown address', 'GET /nothing HTTP/1.1\r\n', ''],
  ['of a handler', 'GET /v1/declined HTTP/1.1\r\n', ''],
])('the refusal %s says whether the connection stays', async (_what, head, body) => {
  const request = (connection: string) => `${head}Host: a\r\nConnection: ${connection}\r\n\r\n${body}`;
  const answers = await sendBytes(running.url, request('keep-alive') + request('close'));
  expect(answers.match(/^connection: .*$/gim)).toEqual([
    expect.stringMatching(/: keep-alive$/),
    expect.stringMatching(/: close$/),
  ]);
});

describe('unknown addresses and methods', () => {
  it('answers 404 in the documented shape', async () => {
    const answer = await get('/nothing/here?x=1');
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual({ error: 'not_found', message: 'There is nothing at this address.' });
  });

  it('answers 404 before it reads a body', async () => {
    expect((await post('/nothing', Buffer.alloc(5_000))).status).toBe(404);
  });

  it.each([
    ['DELETE', '/v1/things/018f0000-0000-7000-8000-000000000000', 'GET, HEAD, PUT'],
    ['GET', '/v1/echo?a=b', 'POST'],
    ['PATCH', '/v1/echo', 'POST'],
  ])('answers 405 with Allow: %s %s', async (method, path, allow) => {
    const answer = await send(running.url + path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json().error).toBe('method_not_allowed');
  });

  it('serves HEAD where GET is', async () => {
    const answer = await send(`${running.url}/agent/v1/bytes`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBe('2');
    expect(answer.text).toBe('');
  });

  it.each(['/%', '/v1/things/%zz', '/%c0%ae'])('answers an address that cannot be decoded: %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(answer.json().error).toBe('validation_failed');
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  it.each(['http://', 'http://[/', 'http:///v1/echo', 'http://host:99999/v1/echo', 'http://host/v1/echo#part'])(
    'answers the address of a proxy that names no host in its own shape: %s',
    async (target) => {
      const answer = await sendBytes(running.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 .*x-request-id: /is);
      expect(answer).toContain('{"error":"validation_failed","message":"The request is not valid."');
    },
  );

  it('answers 404 to a parameter of any length', async () => {
    expect((await get(`/v1/things/${'a'.repeat(2_000)}`)).status).toBe(404);
  });

  it.each(['/v1/echo', '/nothing', '/v1/things/7'])('answers 414 to a query without end: %s', async (path) => {
    const query = (length: number) => `${path}?${'a'.repeat(length - path.length - 1)}`;
    const answer = await get(query(8_193));
    expect([answer.status, answer.json()]).toEqual([
      414,
      { error: 'uri_too_long', message: expect.stringContaining('8192 bytes'), details: { max_bytes: 8_192 } },
    ]);
    expect((await get(query(8_192))).status).not.toBe(414);
  });

  it('answers 400 to a parameter that a pipe refuses, without its words', async () => {
    const answer = await get('/v1/things/7');
    expect(answer.json()).toEqual({ error: 'validation_failed', message: 'The request is not valid.' });
    expect(answer.status).toBe(400);
  });
});

describe('bytes that are no HTTP', () => {
  it.each([
    ['noise', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two lengths', 'POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0',
      400,
    ],
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
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), message: expect.any(String) });
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });
});
