import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  head: string;
  body: string;
}

const END_OF_HEAD = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;

/** A request as bytes, on a connection that is kept. */
export function requestBytes(method: string, path: string, headers: object = {}, body?: object): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const fields = {
    Host: 'localhost',
    ...headers,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'Content-Length': Buffer.byteLength(text),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`);
}

/**
 * One kept connection that sends prepared bytes and reads answers that say their length. The load runs on the cores of the
 * server, where a full client would cost as much as the fastest answers.
 */
export class Connection {
  /** Of the answer that is coming in. Latin 1: a character is a byte. */
  private received = '';
  private waiting?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => this.read(text));
    socket.on('close', () => this.waiting?.reject(new Error('the connection was closed before an answer came')));
    socket.on('error', (error) => this.waiting?.reject(error));
  }

  /** @throws Error when nobody listens there */
  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** One request after the other. */
  send(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private read(text: string): void {
    this.received += text;
    const headEnd = this.received.indexOf(END_OF_HEAD);
    if (headEnd === -1) return;
    const head = this.received.slice(0, headEnd);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.waiting?.reject(new Error(`an answer does not say its length: ${head}`));
      return;
    }
    const begin = headEnd + END_OF_HEAD.length;
    if (this.received.length < begin + Number(length)) return;
    const body = this.received.slice(begin);
    this.received = '';
    this.waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }
}
