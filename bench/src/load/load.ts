import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

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
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const fields = { Host: 'localhost', ...headers, ...type, 'Content-Length': Buffer.byteLength(text) };
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
    if (length === undefined) return void this.socket.destroy(new Error(`an answer does not say its length: ${head}`));
    const begin = headEnd + END_OF_HEAD.length;
    if (this.received.length < begin + Number(length)) return;
    const body = this.received.slice(begin);
    this.received = '';
    this.waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }
}

export type LoadResult = Awaited<ReturnType<typeof runLoad>>;

/**
 * Keeps so many connections busy until the time is over, then lets what was sent finish.
 * @param next undefined when there are no more requests
 * @param accept throws on an answer that should not be
 */
export async function runLoad(
  { url, connections: count, seconds }: { url: string; connections: number; seconds: number },
  next: () => Buffer | undefined,
  accept: (reply: Reply) => void,
) {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(url)));
  const times: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const keepBusy = async (connection: Connection): Promise<void> => {
    for (let sentMs = performance.now(); sentMs < endMs;) {
      const request = next();
      if (!request) return;
      accept(await connection.send(request));
      const answeredMs = performance.now();
      times.push(answeredMs - sentMs);
      sentMs = answeredMs;
    }
  };
  await Promise.all(connections.map(keepBusy)).finally(() => connections.forEach((connection) => connection.close()));
  const took = (performance.now() - startedMs) / 1_000;
  const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { calls: times.length, seconds: took, rate: times.length / took, p50Ms, p99Ms };
}

/**
 * Sends so many requests a second, whether or not earlier ones are answered: each time begins when its request was due.
 * @returns milliseconds, in the order of the requests
 */
export async function atRate(
  { url, perSecond, count }: { url: string; perSecond: number; count: number },
  request: (index: number) => Buffer,
  accept: (reply: Reply) => void,
): Promise<number[]> {
  const idle: Connection[] = [];
  const startedMs = performance.now();
  const ask = async (index: number): Promise<number> => {
    const dueMs = startedMs + (index * 1_000) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const connection = idle.pop() ?? (await Connection.open(url));
    accept(await connection.send(request(index)));
    idle.push(connection);
    return performance.now() - dueMs;
  };
  const times = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  for (const connection of idle) connection.close();
  return times;
}

/** @throws Error on an answer of another status: a benchmark of failures measures nothing */
export function expectStatus(expected: number): (reply: Reply) => void {
  return ({ status, body }) => {
    if (status !== expected) throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
  };
}

/** NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}

/** The middle one, or the smaller of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
