import { Agent, request } from 'undici';
import type { Reply as RawReply } from './connection';
import { KeptConnections } from './kept-connections';

/** Where the product and its stand-ins are, and what is known to those who call it. */
export interface Targets {
  /** Scheme, host and port of the product. */
  url: string;
  /** Of the development Stripe. */
  stripeUrl: string;
  stripeKey: string;
  webhookSecret: string;
  adminToken: string;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

interface Sent {
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  /** Sent as JSON; a string as it is. */
  body?: object | string;
}

const LIMIT_MS = 20_000;
/** A third of the time after which the edge closes it. */
const RESTED_MS = 5_000;

/** An answer that was not the expected one. */
export class WrongAnswer extends Error {
  constructor(
    message: string,
    readonly reply: Pick<Reply, 'status' | 'text' | 'headers'>,
  ) {
    super(message);
  }
}

/** Sends requests over connections that are kept. */
export class Caller {
  private readonly connections: Agent;
  private readonly kept: KeptConnections;

  /** @param connections at most so many to one address, and as many for what is sent as bytes; more requests wait */
  constructor(
    private readonly url: string,
    connections = 64,
  ) {
    const limits = { headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS, keepAliveTimeout: RESTED_MS };
    this.connections = new Agent({ connections, ...limits });
    this.kept = new KeptConnections(url, connections, { silentMs: LIMIT_MS, restedMs: RESTED_MS });
  }

  /** @throws Error when no answer came */
  async ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Reply> {
    const answer = await request(new URL(path, this.url), {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      dispatcher: this.connections,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  /** @returns the body @throws WrongAnswer unless the status is the expected one */
  async expect(status: number, path: string, sent: Sent = {}): Promise<Reply> {
    const reply = await this.ask(path, sent);
    if (reply.status !== status) throw wrong(`${sent.method ?? 'GET'} ${path}`, status, reply);
    return reply;
  }

  /** The bytes of a request: made once, it can be sent thousands of times a second. */
  bytesOf(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Buffer {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const length = { 'Content-Length': String(Buffer.byteLength(text)) };
    const all = {
      Host: new URL(this.url).host,
      ...(body !== undefined && { 'Content-Type': 'application/json', ...length }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  }

  /**
   * Sends what `bytesOf` made; nothing is read of an answer that has the expected status.
   * @throws WrongAnswer unless the status is the expected one
   */
  async expectStatus(status: number, what: string, bytes: Buffer): Promise<void> {
    const reply = await this.kept.send(bytes, (answer) => (answer.status === status ? null : readReply(answer)));
    if (reply) throw wrong(what, status, reply);
  }

  async close(): Promise<void> {
    this.kept.close();
    await this.connections.close();
  }
}

function readReply({ status, head, body }: RawReply): Reply {
  const lines = head.split('\r\n').slice(1);
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.split(': ')[1]] as const);
  return { status, headers: Object.fromEntries(headers), text: body.toString() };
}

export function wrong(what: string, expected: number, reply: WrongAnswer['reply']): WrongAnswer {
  return new WrongAnswer(`${what}: ${reply.status} in place of ${expected}: ${reply.text.slice(0, 300)}`, reply);
}
