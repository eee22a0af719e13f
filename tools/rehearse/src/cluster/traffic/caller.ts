import { Agent, request } from 'undici';

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

export interface Sent {
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

  /** @param connections at most so many to one address; more requests wait */
  constructor(
    private readonly url: string,
    connections = 64,
  ) {
    const limits = { headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS, keepAliveTimeout: RESTED_MS };
    this.connections = new Agent({ connections, ...limits });
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

  async close(): Promise<void> {
    await this.connections.close();
  }
}

export function wrong(what: string, expected: number, reply: WrongAnswer['reply']): WrongAnswer {
  return new WrongAnswer(`${what}: ${reply.status} in place of ${expected}: ${reply.text.slice(0, 300)}`, reply);
}
