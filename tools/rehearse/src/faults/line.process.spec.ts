import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { Line } from './line';

let server: Server;
let line: Line;
const open: Socket[] = [];

beforeEach(async () => {
  server = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  line = await Line.to({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await line.close();
  server.close();
});

/** A client, and all that it was told. */
function aClient() {
  const client = { socket: connect(line.port, '127.0.0.1'), heard: '', error: '' };
  open.push(client.socket);
  client.socket.on('data', (part) => (client.heard += part.toString()));
  client.socket.on('error', (error: Error & { code?: string }) => (client.error = error.code ?? error.message));
  return client;
}

it('passes what is said in both directions, and the end', async () => {
  const { socket, ...heard } = aClient();
  socket.on('data', (part) => (heard.heard += part.toString()));
  socket.end('good morning');
  await once(socket, 'close');
  expect(heard.heard).toBe('good morning');
});

it('refused: breaks what is open, nobody listens; then listens on the same port again', async () => {
  const before = aClient();
  before.socket.write('a');
  await eventually(() => before.heard === 'a');
  await line.become('refused');
  await eventually(() => before.error === 'ECONNRESET');
  const meanwhile = aClient();
  await eventually(() => meanwhile.error === 'ECONNREFUSED');
  await line.become('flowing');
  const after = aClient();
  after.socket.write('b');
  await eventually(() => after.heard === 'b');
});

it('hung: accepts, says nothing, and says all of it afterwards', async () => {
  const before = aClient();
  before.socket.write('a');
  await eventually(() => before.heard === 'a');
  await line.become('hung');
  const meanwhile = aClient();
  await once(meanwhile.socket, 'connect');
  for (const { socket } of [before, meanwhile]) socket.write('b');
  await new Promise((passed) => setTimeout(passed, 100));
  expect([before.heard, meanwhile.heard]).toEqual(['a', '']);
  await line.become('flowing');
  await eventually(() => before.heard === 'ab' && meanwhile.heard === 'b');
});

it('slow: each answer takes half a second longer, in its order', async () => {
  await line.become('slow');
  const client = aClient();
  const begun = performance.now();
  client.socket.write('a');
  await eventually(() => client.heard === 'a');
  expect(performance.now() - begun).toBeGreaterThan(490);
  client.socket.write('b');
  await line.become('flowing');
  client.socket.write('c');
  await eventually(() => client.heard === 'abc');
});
