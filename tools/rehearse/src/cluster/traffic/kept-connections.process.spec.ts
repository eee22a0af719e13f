import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { KeptConnections } from './kept-connections';

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');

let server: Server;
let answer: RequestListener;
let opened = 0;

beforeEach(async () => {
  opened = 0;
  answer = (_request, response) => response.end('{}');
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  server.on('connection', () => opened++);
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function connections(most: number, limits = {}): KeptConnections {
  const { port } = server.address() as AddressInfo;
  return new KeptConnections(`http://127.0.0.1:${port}`, most, { silentMs: 20_000, restedMs: 20_000, ...limits });
}
const statuses = (kept: KeptConnections, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => kept.send(REQUEST, ({ status }) => status)));

it('many requests share a few connections, and each gets its answer', async () => {
  const kept = connections(3);
  expect(new Set(await statuses(kept, 50))).toEqual(new Set([200]));
  expect(await statuses(kept, 3)).toEqual([200, 200, 200]);
  expect(opened).toBe(3);
  kept.close();
});

it('opens another where the server closes one, after an answer or at rest', async () => {
  const kept = connections(1);
  answer = (_request, response) => response.setHeader('connection', 'close').end('{}');
  expect(await statuses(kept, 3)).toEqual([200, 200, 200]);
  expect(opened).toBe(3);
  answer = (_request, response) => response.end('{}');
  await statuses(kept, 1);
  server.closeIdleConnections();
  await eventually(async () => (await statuses(kept, 1))[0] === 200 && opened === 5);
  kept.close();
});

it('opens another in place of one that rested too long', async () => {
  const kept = connections(1, { restedMs: 0 });
  expect(await statuses(kept, 1)).toEqual([200]);
  expect(await statuses(kept, 1)).toEqual([200]);
  expect(opened).toBe(2);
  kept.close();
});

it('reads an answer of many pieces, of a length that is said or not', async () => {
  const kept = connections(1);
  const text = 'x'.repeat(300_000);
  const length = { 'content-length': text.length };
  for (const head of [length, {}, length]) {
    answer = (_request, response) => response.writeHead(200, head).end(text);
    expect(await kept.send(REQUEST, ({ body }) => body.toString() === text)).toBe(true);
  }
  kept.close();
});

it('says that no answer came, and goes on', async () => {
  const kept = connections(1, { silentMs: 300 });
  answer = (request) => request.socket.destroy();
  await expect(statuses(kept, 1)).rejects.toThrow('the connection was closed before an answer came');
  answer = () => undefined;
  await expect(statuses(kept, 1)).rejects.toThrow('no answer within 0.3 s');
  answer = (_request, response) => response.end('{}');
  expect(await statuses(kept, 2)).toEqual([200, 200]);
  kept.close();
});

it('says that nobody listens, to all who wait', async () => {
  const kept = connections(1);
  server.close();
  const results = await Promise.allSettled([1, 2, 3].map(() => kept.send(REQUEST, ({ status }) => status)));
  const said = results.map((one) => one.status === 'rejected' && (one.reason as Error).message);
  const refused: unknown = expect.stringContaining('ECONNREFUSED');
  expect(said).toEqual([refused, refused, refused]);
});
