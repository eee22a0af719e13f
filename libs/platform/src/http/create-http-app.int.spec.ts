import { DomainError } from '@evenkeel/kernel';
import { Controller, Get, HttpCode, Module, Param, ParseUUIDPipe, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pino from 'pino';
import { createHttpApp } from './create-http-app';
import { anyFreePorts, send, sendBytes, someHttpOptions } from './http.fixture';
import { requestHandler } from './request-handler';
import { serve, type RunningHttp } from './run-http';

class CardDeclined extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'card_declined';
  override readonly details = { try: 'another' };
  constructor() {
    super('The card was declined.');
  }
}

class Overloaded extends DomainError {
  readonly kind = 'rate_limited';
  readonly code = 'rate_limited';
  override readonly retryAfterSeconds = 1.2;
}

@Controller()
class EchoController {
  /** Type, class and text of what the handler was given. */
  @Post(['v1/echo', 'agent/v1/echo'])
  @HttpCode(200)
  echo(@Req() { body, headers }: FastifyRequest) {
    const isBuffer = Buffer.isBuffer(body);
    return { isBuffer, text: isBuffer ? body.toString() : null, type: headers['content-type'] ?? null };
  }

  @Get('v1/things/:id')
  thing(@Param('id', ParseUUIDPipe) id: string) {
    return { id };
  }

  @Put('v1/things/:id')
  replace() {
    return {};
  }

  @Get('agent/v1/bytes')
  bytes(@Res() reply: FastifyReply) {
    reply.header('cache-control', 'public, max-age=300').header('content-type', 'text/plain').send(Buffer.from('ok'));
  }

  @Get(['v1/declined', 'agent/v1/declined'])
  declined() {
    throw new CardDeclined();
  }

  @Get('agent/v1/overloaded')
  overloaded() {
    throw new Overloaded();
  }

  @Get(['v1/broken', 'agent/v1/broken'])
  broken() {
    throw new Error('secret connection string');
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

const lines: string[] = [];
let running: RunningHttp;
beforeAll(async () => {
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const options = someHttpOptions({ logger, corsOrigins: ['https://app.example'], trustedProxyHops: 1 });
  const app = await createHttpApp(EchoModule, options);
  running = await serve(await requestHandler(app), anyFreePorts(), () => app.close());
});
afterAll(() => running.close());

const get = (path: string, headers: Record<string, string> = {}) => send(running.url + path, { headers });
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

  it('at the cap pass', async () => {
    expect((await post('/v1/echo', Buffer.alloc(1_024, 'a'))).status).toBe(200);
  });
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

  it('answers 404 to a parameter of any length', async () => {
    expect((await get(`/v1/things/${'a'.repeat(2_000)}`)).status).toBe(404);
  });

  it('answers 400 to a parameter that a pipe refuses, without its words', async () => {
    const answer = await get('/v1/things/7');
    expect(answer.json()).toEqual({ error: 'validation_failed', message: 'The request is not valid.' });
    expect(answer.status).toBe(400);
  });
});

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

  it.each([
    ['/agent/v1/declined', 402, 'pay_again'],
    ['/agent/v1/overloaded', 429, 'retry_same'],
    ['/agent/v1/broken', 500, 'retry_same'],
    ['/agent/v1/nothing', 404, 'do_not_retry'],
    ['/agent/v1/echo', 405, 'do_not_retry'],
    ['/agent/v1/%zz', 400, 'fix_request'],
  ])('tell agents what to do next: %s', async (path, status, retry) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.json().details).toMatchObject({ charged: false, retry });
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
      type: 'https://api.example/problems/card_declined',
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

  it.each(['/agent/v1/echo', '/v1/echo', '/nothing', '/', '/v1/things/7'])(
    'answers OPTIONS with 204: %s',
    async (path) => {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
    },
  );

  it('opens the agent surface to every origin', async () => {
    const { headers } = await preflight('/agent/v1/echo');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-headers']).toMatch(/^Content-Type, Authorization, X-PAYMENT, /);
    expect((await get('/agent/v1/bytes')).headers['access-control-expose-headers']).toMatch(/^PAYMENT-REQUIRED, /);
  });

  it('opens /v1 to the listed origins only', async () => {
    expect((await preflight('/v1/echo')).headers['access-control-allow-origin']).toBeUndefined();
    expect((await preflight('/v1/capabilities')).headers['access-control-allow-origin']).toBe('*');
    const listed = await preflight('/v1/echo', 'https://app.example');
    expect(listed.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(listed.headers.vary).toBe('Origin');
    expect(listed.headers['access-control-allow-credentials']).toBeUndefined();
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
    ['endless headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 413],
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
