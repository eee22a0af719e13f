import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { eventually } from '../testing';
import type { CheckResult, Readiness } from '../resilience/readiness';
import { anyFreePorts, send } from './http.fixture';
import { HttpServer, KEEP_ALIVE_MS, listen } from './http-server';
import { serve, type RunningHttp } from './run-http';

const hello: RequestListener = (_request, response) => response.end('hello');
const serving = (handle: RequestListener, over: object = {}, closeRest = () => {}) =>
  serve(handle, anyFreePorts(over), async () => closeRest());
const socketTo = (url: string) => connect(Number(new URL(url).port), '127.0.0.1');

/** A handler whose answers wait until they are let go. */
function heldBack() {
  const waiting: (() => void)[] = [];
  const handle: RequestListener = (_request, response) => void waiting.push(() => response.end('late'));
  return { handle, waiting, letGo: () => waiting.splice(0).forEach((answer) => answer()) };
}

describe('while it closes', () => {
  it('open requests are answered, then what they depend on closes, once; readiness fails first', async () => {
    const order: string[] = [];
    const { handle, waiting, letGo } = heldBack();
    const watched: RequestListener = (request, response) => {
      response.once('finish', () => order.push('answered'));
      handle(request, response);
    };
    const running = await serving(watched, {}, () => void order.push('rest closed'));
    const answer = send(running.url + '/');
    await eventually(() => waiting.length === 1);
    const closed = Promise.all([running.close(), running.close()]);
    await eventually(async () => (await send(`${running.internalUrl}/health/ready`)).status === 503);
    await expect(send(running.url + '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    letGo();
    expect((await answer).headers.connection).toBe('close');
    await closed;
    expect(order).toEqual(['answered', 'rest closed']);
  });

  it('a request that is on its way is answered', async () => {
    const running = await serving(hello);
    const begun = socketTo(running.url);
    await once(begun, 'connect');
    const closed = running.close();
    await turnOfTheLoop();
    begun.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    expect(await text(begun)).toMatch(/^HTTP\/1\.1 200 OK[^]*Connection: close[^]*hello/);
    await closed;
  });

  it('idle and silent connections are not waited for', async () => {
    const running = await serving(hello);
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(httpRequest(`${running.url}/`, { agent }).end(), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    await once(socketTo(running.url), 'connect');
    const began = performance.now();
    await running.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    agent.destroy();
  });

  it('requests that outlast the drain are cut', async () => {
    const { handle, waiting } = heldBack();
    const surface = new HttpServer(handle);
    const url = await listen(surface.server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const cut = expect(send(`${url}/`)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await eventually(() => waiting.length === 1);
    await surface.drain(50);
    await cut;
  });
});

describe('a connection', () => {
  let running: RunningHttp;
  afterEach(() => running.close());

  it('that is never used is closed without a word: a browser would take it for an answer', async () => {
    running = await serving(hello);
    const [unused, begun] = [socketTo(running.url), socketTo(running.url)];
    begun.write('GET / HTTP/1.1\r\n');
    expect(await text(unused)).toBe('');
    expect(await text(begun)).toMatch(/^HTTP\/1\.1 400 [^]*The request did not arrive in time\./);
  }, 60_000);

  it('that has been silent for as long as it may ends', async () => {
    let connection: Socket;
    running = await serving((request, response) => {
      connection = request.socket;
      response.end('done');
    });
    const client = socketTo(running.url);
    client.write('GET / HTTP/1.1\r\nhost: shop\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toContain('Connection: keep-alive');
    // Newer versions of Node keep it a second longer than they say.
    expect([KEEP_ALIVE_MS, KEEP_ALIVE_MS + 1_000]).toContain(connection!.timeout);
    connection!.emit('timeout');
    await once(client, 'close');
  });
});

it('a taken port is refused with the setting to change, and the other is let go', async () => {
  const first = await serving(hello);
  const taken = Number(new URL(first.url).port);
  await expect(serving(hello, { port: taken })).rejects.toThrow(
    `Port ${taken} on 127.0.0.1 is taken by another process. Stop it or set PORT to a free port.`,
  );
  await expect(serving(hello, { internalPort: taken })).rejects.toThrow('set INTERNAL_PORT to a free port');
  await first.close();
});

const found = (checks: Record<string, CheckResult>) => () => Promise.resolve(checks);
const [WHOLE, PARTLY] = [{ database: true, redis: true }, { database: true, redis: 'degraded' } as const];
const NOT_READY = { status: 'not_ready' };
const BROKEN = { ...PARTLY, database: false };
it.each<[string, string, Readiness, number, object]>([
  ['is alive whatever the dependencies say', '/health/live', found(BROKEN), 200, { status: 'live' }],
  ['is ready when all is there', '/health/ready', found(WHOLE), 200, { status: 'ready', checks: WHOLE }],
  ['is ready when nothing is needed', '/health/ready', found({}), 200, { status: 'ready', checks: {} }],
  ['is degraded when it works less well', '/health/ready', found(PARTLY), 200, { status: 'degraded', checks: PARTLY }],
  ['is not ready without what it needs', '/health/ready', found(BROKEN), 503, { status: 'not_ready', checks: BROKEN }],
  ['is not ready when a check fails', '/health/ready', () => Promise.reject(new Error('down')), 503, NOT_READY],
  ['is not ready when a check hangs', '/health/ready', () => new Promise(() => undefined), 503, NOT_READY],
  ['has nothing else', '/', found({}), 404, { error: 'not_found' }],
])('the internal listener %s', async (_, path, readiness, status, body) => {
  const running = await serving(hello, { readiness });
  const answer = await send(running.internalUrl + path);
  await running.close();
  expect([answer.status, answer.json()]).toEqual([status, expect.objectContaining(body)]);
});
