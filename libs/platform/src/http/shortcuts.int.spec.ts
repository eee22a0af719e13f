import { Module } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createHttpApp } from './create-http-app';
import { anyFreePorts, send, sendBytes, someHttpOptions } from './http.fixture';
import { ReadyAnswer } from './text-answers';
import { requestHandler, serve, type RunningHttp } from './run-http';

@Module({})
class NothingModule {}

const PATH = '/agent/v1/short';
const lines: string[] = [];
let running: RunningHttp;

beforeAll(async () => {
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const app = await createHttpApp(NothingModule, someHttpOptions({ logger, maxBodyBytes: 1_000 }));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.shortcuts.post(PATH, (rawRequest) =>
    rawRequest.readBody((body) => {
      if (body.toString() === 'break') throw new Error('secret');
      const answer = new ReadyAnswer(402, { 'content-type': 'text/plain' }, `${body.length} bytes`);
      if (body.toString() === 'quiet') rawRequest.sendCounted(answer);
      else rawRequest.send(answer, 'x-more: yes\r\n');
    }),
  );
  fastify.shortcuts.post(`${PATH}/alone`, (rawRequest) =>
    rawRequest.send(new ReadyAnswer(200, {}, `${rawRequest.request.socket.bytesWritten} bytes written`)),
  );
  fastify.shortcuts.post(`${PATH}/later`, (rawRequest) =>
    setTimeout(() => rawRequest.send(new ReadyAnswer(200, {}, 'later')), 50),
  );
  fastify.shortcuts.post(
    `${PATH}/longer`,
    (rawRequest) => rawRequest.readBody((body) => rawRequest.send(new ReadyAnswer(200, {}, `${body.length} bytes`))),
    { maxBodyBytes: 2_000 },
  );
  running = await serve(await requestHandler(app), anyFreePorts(), () => app.close());
});
afterAll(() => running.close());

const post = (body: string, headers: Record<string, string> = {}, path = PATH) =>
  send(running.url + path, { method: 'POST', body, headers });

it('answers with the headers of every other answer', async () => {
  const answer = await post('abc', { 'x-request-id': 'find-me-42', origin: 'https://elsewhere.example' });
  expect([answer.status, answer.text]).toEqual([402, '3 bytes']);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain',
    'content-length': '7',
    'x-request-id': 'find-me-42',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringContaining('max-age='),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('PAYMENT-REQUIRED'),
  });
});

it.each([
  ['with a query', `${PATH}?x=1`],
  ['with an encoded letter', '/agent/v1/%73hort'],
])('takes its address %s', async (_, path) => expect((await post('', {}, path)).status).toBe(402));

it('refuses an address without end, as the framework does', async () => {
  const { status, text } = await post('', {}, `${PATH}?${'a'.repeat(8_192)}`);
  expect([status, text]).toEqual([414, expect.stringContaining('uri_too_long')]);
});

it('leaves a request at another address to the framework', async () => {
  expect((await post('', {}, `${PATH}/er`)).status).toBe(404);
});

it('answers another method with 405', async () => {
  const { status, headers } = await send(running.url + PATH);
  expect([status, headers.allow]).toEqual([405, 'POST']);
});

it('has a line in the log for each answer but those that are only counted', async () => {
  for (const body of ['quiet', 'abcd']) await post(body, { 'x-request-id': `heard-of-${body}` });
  const ids = lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId);
  expect(ids).toContain('heard-of-abcd');
  expect(ids).not.toContain('heard-of-quiet');
});

it('forbids caching where the answer says nothing of it', () => {
  const linesOf = (headers: Record<string, string>) => new ReadyAnswer(200, headers, '').lines;
  expect(linesOf({})).toContain('cache-control: no-store\r\n');
  expect(linesOf({ 'Cache-Control': 'private, no-store' })).toBe(
    'Cache-Control: private, no-store\r\ncontent-length: 0\r\n',
  );
});

it.each([
  ['announced', `content-length: 1001\r\n\r\n${'x'.repeat(1_001)}`],
  ['chunked', `transfer-encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`],
])('refuses a body over the cap, %s', async (_, rest) => {
  const answer = await sendBytes(running.url, `POST ${PATH} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${rest}`);
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
    error: 'payload_too_large',
    details: { max_bytes: 1_000, charged: false, retry: 'fix_request' },
  });
});

it('has a cap of its own where the route states one', async () => {
  expect((await post('x'.repeat(2_000), {}, `${PATH}/longer`)).text).toBe('2000 bytes');
  const refused = await post('x'.repeat(2_001), {}, `${PATH}/longer`);
  expect([refused.status, refused.json().details]).toEqual([
    413,
    { max_bytes: 2_000, charged: false, retry: 'fix_request' },
  ]);
});

it('hides what failed and records it under the request id', async () => {
  const answer = await post('break', { 'x-request-id': 'broken-42', accept: 'application/problem+json' });
  expect([answer.status, answer.json().error]).toEqual([500, 'internal_error']);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.text).not.toContain('secret');
  const recorded = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(recorded).toContainEqual(expect.objectContaining({ requestId: 'broken-42', msg: 'request failed' }));
});

it('answers the next request on the same connection, and closes it when asked', async () => {
  const request = (connection: string) =>
    `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\nconnection: ${connection}\r\n\r\nab`;
  const answers = (await sendBytes(running.url, request('keep-alive') + request('close'))).split('2 bytes');
  expect(answers[0]).toMatch(/^HTTP\/1.1 402 Payment Required\r\n/);
  expect(answers[0]).toContain('\r\nconnection: keep-alive\r\nkeep-alive: timeout=65\r\n\r\n');
  expect(answers[1]).toContain('\r\nconnection: close\r\n\r\n');
  expect(answers[2]).toBe('');
});

it('reads all requests that are there before it writes the first answer', async () => {
  const request = (connection: string) => `POST ${PATH}/alone HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`;
  const answers = await sendBytes(running.url, request('keep-alive').repeat(2) + request('close'));
  expect(answers.match(/\d+ bytes written/g)).toEqual(Array(3).fill('0 bytes written'));
});

it('answers a client that closed its own direction after the request, and then closes the connection', async () => {
  const requests = `POST ${PATH}/later HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(2);
  const answers = await sendBytes(running.url, requests, { thenEnd: true });
  expect(answers.match(/later|connection: .*/g)).toEqual([
    'connection: keep-alive',
    'later',
    'connection: close',
    'later',
  ]);
});

it('says when it answered, as every other answer does', async () => {
  const [ours, other] = [await post('abc'), await send(`${running.url}/nowhere`)];
  const seconds = (date: string | undefined) => Date.parse(date!) / 1_000;
  expect(Math.abs(seconds(other.headers.date) - seconds(ours.headers.date))).toBeLessThanOrEqual(1);
});

it('refuses a header that HTTP does not allow', () => {
  expect(() => new ReadyAnswer(402, { 'payment-required': 'a\r\nx: y' }, '')).toThrow('Invalid character');
});

it('leaves a line of what it has only counted when it closes', async () => {
  await post('quiet');
  await running.close();
  const counted = lines.map((line) => JSON.parse(line) as object);
  expect(counted).toContainEqual(expect.objectContaining({ msg: 'requests', path: PATH, status: 402 }));
});
