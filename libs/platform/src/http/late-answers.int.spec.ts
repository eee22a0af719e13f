import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Controller, Get, HttpCode, Module, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Agent, request } from 'undici';
import pino from 'pino';
import { eventually } from '../testing';
import { decideAnswer } from './answer-in-time';
import { sendBytes, startApp } from './http.fixture';
import type { RunningHttp } from './run-http';

const WITHIN_MS = 300;

/** The handlers wait for it; a test resolves it. */
const given = new EventEmitter<{ from: [string] }>().setMaxListeners(0);
const whenGiven = async () => ({ from: ((await once(given, 'from')) as [string])[0] });

/** The answers to handlers that asked whether they may commit. */
const committed: boolean[] = [];

/** Holds something open until it is read or destroyed, as a file or rows of a database. */
const file = new PassThrough();

@Controller('v1')
class LateController {
  @Get(['late', 'patient'])
  late() {
    return whenGiven();
  }

  @Get('decided')
  async decided(@Res({ passthrough: true }) reply: FastifyReply) {
    const [isDecided, answer] = [decideAnswer(reply), await whenGiven()];
    return { isDecided, ...answer };
  }

  @Get('undecided')
  async undecided(@Res({ passthrough: true }) reply: FastifyReply) {
    await whenGiven();
    committed.push(decideAnswer(reply));
  }

  @Get('begun')
  begun(@Res() reply: FastifyReply) {
    const stream = new PassThrough();
    stream.write('begun, ');
    void whenGiven().then(({ from }) => stream.end(from));
    void reply.type('text/plain').send(stream);
  }

  @Get('file')
  async file(@Res() reply: FastifyReply) {
    await whenGiven();
    void reply.type('text/plain').send(file);
  }

  @Post('prompt')
  @HttpCode(200)
  prompt() {
    return { from: 'prompt' };
  }
}

@Module({ controllers: [LateController] })
class LateModule {}

const lines: string[] = [];
let running: RunningHttp;
const connection = new Agent({ connections: 1 });
beforeAll(async () => {
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const isLong = (path: string) => path === '/v1/patient';
  running = await startApp(LateModule, { logger, answerWithinMs: WITHIN_MS, isLong });
});
afterAll(async () => {
  await connection.close();
  await running.close();
});

const get = (path: string, headers = {}) => request(running.url + path, { headers });

/** One that nobody answered in time: whatever else was under way has taken longer. */
async function longEnough(path = '/v1/late'): Promise<void> {
  expect((await get(path)).statusCode).toBe(503);
}

it('nobody waits longer than a service says, and the log tells of it', async () => {
  const { statusCode, headers, body } = await get('/v1/late', { 'x-request-id': 'too-late-1' });
  expect([statusCode, headers['retry-after'], await body.json()]).toEqual([
    503,
    '1',
    { error: 'service_unavailable', message: 'A part that this address needs is not available. Wait and repeat.' },
  ]);
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ requestId: 'too-late-1', answerWithinMs: WITHIN_MS, msg: 'not answered in time' }),
  );
});

it('what the handler says afterwards goes nowhere, and the connection stays right', async () => {
  expect((await request(`${running.url}/v1/late`, { dispatcher: connection })).statusCode).toBe(503);
  given.emit('from', 'the one before');
  const next = await request(`${running.url}/v1/prompt`, { method: 'POST', dispatcher: connection });
  expect([next.statusCode, await next.body.json()]).toEqual([200, { from: 'prompt' }]);
});

it('a stream that comes afterwards is closed, with what it holds open', async () => {
  await longEnough('/v1/file');
  given.emit('from', 'the file');
  await eventually(() => expect(file.destroyed).toBe(true));
});

it('work that was answered 503 is not committed any more', async () => {
  await longEnough('/v1/undecided');
  given.emit('from', 'afterwards');
  await eventually(() => expect(committed).toEqual([false]));
});

it.each([
  ['work that is decided, of which no 503 goes out', 'decided', '{"isDecided":true,"from":"in the end"}'],
  ['work that is long', 'patient', '{"from":"in the end"}'],
  ['an answer that has begun, which is not cut', 'begun', 'begun, in the end'],
])('%s may take as long as it takes', async (_, path, answer) => {
  const waiting = get(`/v1/${path}`);
  await longEnough();
  await longEnough();
  given.emit('from', 'in the end');
  const { statusCode, body } = await waiting;
  expect([statusCode, await body.text()]).toEqual([200, answer]);
});

it('a client that closed its own direction after the request still gets its answer', async () => {
  const bytes = 'GET /v1/patient HTTP/1.1\r\nHost: late\r\nConnection: close\r\n\r\n';
  const answer = sendBytes(running.url, bytes, { thenEnd: true });
  await longEnough();
  given.emit('from', 'patient');
  expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*\{"from":"patient"\}/);
});

it('the time is measured from the end of the request', async () => {
  const { hostname, port } = new URL(running.url);
  const socket = connect(Number(port), hostname);
  socket.write('POST /v1/prompt HTTP/1.1\r\nHost: late\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{');
  await longEnough();
  socket.write('}');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\{"from":"prompt"\}/);
});
