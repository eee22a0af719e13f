import { createServer, ServerResponse, type IncomingMessage } from 'node:http';
import { sendBytes } from './http.fixture';
import { listen } from './http-server';
import { KEEP_ALIVE_MS, sendText } from './text-answers';

/** What `sendText` relies on and Node does not document: when a release changes it, these tests fail first. */
describe('the head that Node keeps of an answer', () => {
  type Internals = ServerResponse & { _header: string | null; _last: boolean };
  const request = { method: 'POST', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage;
  const anAnswer = () => new ServerResponse(request) as Internals;

  it('is a text in _header: none before, and the lines as they are sent after writeHead', () => {
    const response = anAnswer();
    expect(response._header).toBeNull();
    response.sendDate = false;
    response.writeHead(402, { 'x-one': '1', 'content-length': '0' });
    expect(response._header).toMatch(/^HTTP\/1\.1 402 Payment Required\r\nx-one: 1\r\ncontent-length: 0\r\n/);
    expect(response._header).toMatch(/\r\n\r\n$/);
  });

  it('makes the answer count as headed, and is not replaced by end', () => {
    const response = anAnswer();
    sendText(response, 200, 'content-length: 2\r\n', 'ok');
    expect(response.headersSent).toBe(true);
    const head = response._header;
    response.end();
    expect(response._header).toBe(head);
  });

  it('is beside _last, which says that the connection closes', () => {
    const response = anAnswer();
    expect(response._last).toBe(false);
    response.shouldKeepAlive = false;
    response.writeHead(200, { 'content-length': '0' });
    expect(response._last).toBe(true);
  });
});

describe('an answer of sendText', () => {
  const BODY = '{"price":"é"}';
  const latin1 = Buffer.from(BODY).toString('latin1');
  const headers = { 'content-type': 'application/json', 'x-long': 'a'.repeat(3_000), 'content-length': latin1.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);

  const withText = (_request: IncomingMessage, response: ServerResponse) =>
    sendText(response, 402, lines.join(''), latin1);
  const withWriteHead = (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(402, headers).end(BODY);

  async function bytesOf(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
    const url = await listen(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const request = (connection: string) => `POST / HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`;
    const bytes = await sendBytes(url, request('keep-alive') + request('close'));
    server.close();
    return bytes;
  }

  it('has the bytes of an answer of writeHead, but for the case of three names and the instant', async () => {
    const comparable = (bytes: string) =>
      bytes.replace(/^(date|connection|keep-alive): /gim, (name) => name.toLowerCase()).replace(/^date: .*$/gm, 'date');
    const [ours, nodes] = [comparable(await bytesOf(withText)), comparable(await bytesOf(withWriteHead))];
    expect(ours).toBe(nodes);
    expect(ours.match(/HTTP\/1\.1 402 Payment Required\r/g)).toHaveLength(2);
    expect(Buffer.from(ours.split('\r\n\r\n')[1]!.slice(0, latin1.length), 'latin1').toString()).toBe(BODY);
  });
});
