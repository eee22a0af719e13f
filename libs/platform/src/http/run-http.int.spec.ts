import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { eventually } from '../testing';
import { anyFreePorts, send } from './http.fixture';
import { CannotListen, HttpServer, KEEP_ALIVE_MS, listen } from './http-server';
import { serve } from './run-http';

const hello: RequestListener = (_request, response) => response.end('hello');

/** A handler whose answers wait until they are let go. */
function heldBack() {
  const waiting: (() => void)[] = [];
  const handle: RequestListener = (_request, response) => void waiting.push(() => response.end('late'));
  return { handle, waiting, letGo: () => waiting.splice(0).forEach((answer) => answer()) };
}

describe('serve', () => {
  it('closes once, and what it depends on after the last request', async () => {
    const order: string[] = [];
    const { handle, waiting, letGo } = heldBack();
    const watched: RequestListener = (request, response) => {
      response.once('finish', () => order.push('answered'));
      handle(request, response);
    };
    const running = await serve(watched, anyFreePorts(), () => Promise.resolve(void order.push('rest closed')));
    const answer = send(running.url + '/');
    await eventually(() => waiting.length === 1);
    const closed = Promise.all([running.close(), running.close()]);
    await eventually(async () => (await send(`${running.internalUrl}/health/ready`)).status === 503);
    letGo();
    expect((await answer).headers.connection).toBe('close');
    await closed;
    expect(order).toEqual(['answered', 'rest closed']);
  });

  it('refuses new connections while it drains', async () => {
    const { handle, waiting, letGo } = heldBack();
    const running = await serve(handle, anyFreePorts(), () => Promise.resolve());
    const open = send(running.url + '/');
    await eventually(() => waiting.length === 1);
    const closed = running.close();
    // Requests that have arrived are still answered.
    await turnOfTheLoop();
    await turnOfTheLoop();
    await expect(send(running.url + '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    letGo();
    expect((await open).text).toBe('late');
    await closed;
  });

  it('answers a request that is on its way when the drain begins', async () => {
    const running = await serve(hello, anyFreePorts(), () => Promise.resolve());
    const begun = connect(Number(new URL(running.url).port), '127.0.0.1');
    await once(begun, 'connect');
    const closed = running.close();
    await turnOfTheLoop();
    begun.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    expect(await text(begun)).toMatch(/^HTTP\/1\.1 200 OK[^]*Connection: close[^]*hello/);
    await closed;
  });

  it('does not wait for idle or silent connections', async () => {
    const running = await serve(hello, anyFreePorts(), () => Promise.resolve());
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(httpRequest(`${running.url}/`, { agent }).end(), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    const silent = connect(Number(new URL(running.url).port), '127.0.0.1');
    await once(silent, 'connect');
    const began = performance.now();
    await running.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    agent.destroy();
  });

  it('closes a connection that is never used without a word: a browser would take it for an answer', async () => {
    const running = await serve(hello, anyFreePorts(), () => Promise.resolve());
    const [unused, begun] = [0, 1].map(() => connect(Number(new URL(running.url).port), '127.0.0.1'));
    begun!.write('GET / HTTP/1.1\r\n');
    expect(await text(unused!)).toBe('');
    expect(await text(begun!)).toMatch(/^HTTP\/1\.1 400 [^]*The request did not arrive in time\./);
    await running.close();
  }, 60_000);

  it('says which setting to change when a port is taken, and lets go of the other', async () => {
    const first = await serve(hello, anyFreePorts(), () => Promise.resolve());
    const taken = Number(new URL(first.url).port);
    const again = (over: object) => serve(hello, anyFreePorts(over), () => Promise.resolve());

    await expect(again({ port: taken })).rejects.toThrow(CannotListen);
    await expect(again({ port: taken })).rejects.toThrow(
      `Port ${taken} on 127.0.0.1 is taken by another process. Stop it or set PORT to a free port.`,
    );
    await expect(again({ internalPort: taken })).rejects.toThrow('set INTERNAL_PORT to a free port');
    await first.close();
  });
});

describe('the internal listener', () => {
  const statusOf = async (readiness: () => Promise<Record<string, boolean>>, path = '/health/ready') => {
    const running = await serve(hello, anyFreePorts({ readiness }), () => Promise.resolve());
    const { status } = await send(running.internalUrl + path);
    await running.close();
    return status;
  };

  it('is alive whatever the dependencies say', async () => {
    expect(await statusOf(() => Promise.resolve({ database: false }), '/health/live')).toBe(200);
  });

  it.each([
    ['all is there', () => Promise.resolve({ database: true }), 200],
    ['something is missing', () => Promise.resolve({ database: true, consumer: false }), 503],
    ['a check fails', () => Promise.reject(new Error('down')), 503],
    ['a check hangs', () => new Promise<never>(() => undefined), 503],
  ])('is ready or not: %s', async (_what, readiness, status) => {
    expect(await statusOf(readiness)).toBe(status);
  });

  it('has nothing else', async () => {
    expect(await statusOf(() => Promise.resolve({}), '/')).toBe(404);
  });
});

describe('HttpServer', () => {
  it('cuts requests that outlast the drain', async () => {
    const { handle, waiting } = heldBack();
    const surface = new HttpServer(handle);
    const url = await listen(surface.server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const cut = expect(send(`${url}/`)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await eventually(() => waiting.length === 1);
    await surface.drain(50);
    await cut;
  });

  it('ends a connection that has been silent for as long as it may', async () => {
    const surface = new HttpServer((_request, response) => void response.end('done'));
    const url = await listen(surface.server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const accepted = once(surface.server, 'connection') as Promise<[Socket]>;
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nhost: shop\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toContain('Connection: keep-alive');

    const [connection] = await accepted;
    // Newer versions of Node keep it a second longer than they say.
    expect([KEEP_ALIVE_MS, KEEP_ALIVE_MS + 1_000]).toContain(connection.timeout);
    connection.emit('timeout');
    await once(client, 'close');
    await surface.drain(50);
  });
});
