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

interface Sent {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Sent as JSON; a string as it is. */
  body?: object | string;
}

/** An answer that was not the expected one. */
export class WrongAnswer extends Error {
  constructor(
    what: string,
    expected: number,
    readonly reply: Reply,
  ) {
    super(`${what}: ${reply.status} in place of ${expected}: ${reply.text.slice(0, 300)}`);
  }
}

const LIMIT_MS = 20_000;
/** A third of the time after which the edge closes a connection. */
const RESTED_MS = 5_000;
const CONNECTIONS = 256;

/** Sends requests over connections that are kept. */
export class Caller {
  private readonly dispatcher = new Agent({
    connections: CONNECTIONS,
    headersTimeout: LIMIT_MS,
    bodyTimeout: LIMIT_MS,
    keepAliveTimeout: RESTED_MS,
  });

  constructor(private readonly url: string) {}

  /** @throws Error when no answer came */
  async ask(path: string, { headers, body, method = body === undefined ? 'GET' : 'POST' }: Sent = {}): Promise<Reply> {
    const answer = await request(new URL(path, this.url), {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
      dispatcher: this.dispatcher,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  /** @throws WrongAnswer unless the status is the expected one */
  async expect(status: number, path: string, sent: Sent = {}): Promise<Reply> {
    const reply = await this.ask(path, sent);
    if (reply.status !== status) throw new WrongAnswer(`${sent.method ?? 'request'} ${path}`, status, reply);
    return reply;
  }

  async close(): Promise<void> {
    await this.dispatcher.close();
  }
}
