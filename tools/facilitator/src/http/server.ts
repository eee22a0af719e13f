import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../payments/facilitator';

/** A request that no handler should see: wrong address, size or form. */
export class HttpRefusal extends Error {
  readonly answer: Answer;

  constructor(status: number, error: string, message: string) {
    super(message);
    this.answer = { status, body: { error, message } };
  }
}

/** The reply on the wire: an answer, perhaps late; a text that is no JSON, sent as JSON; silence; a broken connection. */
export type Reply =
  | { kind: 'answer'; answer: Answer; delayMs?: number }
  | { kind: 'text'; text: string }
  | { kind: 'hang' }
  | { kind: 'reset' };

export function reply(answer: Answer, delayMs?: number): Reply {
  return { kind: 'answer', answer, delayMs };
}

export interface HttpCall {
  body: Buffer;
  query: URLSearchParams;
}

/** Method and path to handler. */
export type Routes = Map<string, (call: HttpCall) => Promise<Reply>>;

const MAX_BYTES = 131_072;
const RETRY_MS = 50;

/** The one listening server; it can refuse connections for a while and come back at the same port. */
export class FacilitatorServer {
  private readonly server: Server;
  private closed = false;

  /** @param port 0 takes a free one */
  constructor(
    routes: Routes,
    private readonly host: string,
    private port: number,
  ) {
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    this.server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      // The call that takes the server down is still answered, and its connection is not kept.
      response.once('finish', () => void (this.server.listening || request.socket.destroySoon()));
      void replyTo(routes, request)
        .catch(replyToError)
        .then((what) => send(what, response));
    });
  }

  /** @returns the address; throws a sentence when the port is taken */
  async open(): Promise<string> {
    await this.listen().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(
        `Port ${this.port} of ${this.host} is taken by another process. Stop it or set FACILITATOR_PORT to a free port.`,
      );
    });
    this.port = (this.server.address() as AddressInfo).port;
    return `http://${this.host}:${this.port}`;
  }

  /** Refuses connections for this long; calls that wait for an answer are broken off at the end of it. */
  async goDown(ms: number): Promise<void> {
    this.server.close();
    await sleep(ms, undefined, { ref: false });
    this.server.closeAllConnections();
    while (!this.closed && !this.server.listening) {
      await this.listen().catch(() => sleep(RETRY_MS, undefined, { ref: false }));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const closing = this.server.listening ? once(this.server, 'close') : undefined;
    this.server.close();
    this.server.closeAllConnections();
    await closing;
  }

  private async listen(): Promise<void> {
    this.server.listen(this.port, this.host);
    await once(this.server, 'listening');
  }
}

async function replyTo(routes: Routes, request: IncomingMessage): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://facilitator');
  const handle = routes.get(`${request.method} ${pathname}`);
  if (!handle) throw new HttpRefusal(404, 'not_found', 'no such address');
  return handle({ body: await readBody(request), query: searchParams });
}

function replyToError(error: unknown): Reply {
  if (error instanceof HttpRefusal) return reply(error.answer);
  console.error(error);
  return reply({ status: 500, body: { error: 'internal_error' } });
}

function send(what: Reply, response: ServerResponse): void {
  if (what.kind === 'hang') return;
  if (what.kind === 'reset') return void response.socket?.resetAndDestroy();
  if (what.kind === 'text') return write(response, 200, what.text);
  const { answer, delayMs } = what;
  const text = JSON.stringify(answer.body);
  if (delayMs === undefined) write(response, answer.status, text);
  else setTimeout(() => write(response, answer.status, text), delayMs).unref();
}

function write(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** @throws HttpRefusal when the body is over the cap */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new HttpRefusal(413, 'payload_too_large', `more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws HttpRefusal when it is not JSON */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpRefusal(400, 'malformed_json', 'the body is not JSON');
  }
}
