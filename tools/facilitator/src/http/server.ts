import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyError, type FastifyReply } from 'fastify';
import type { Answer } from '../payments/facilitator';

/** The reply on the wire: an answer; a text that is no JSON, sent as JSON; silence; a broken connection. */
export type Reply = Answer | { text: string } | 'hang' | 'reset';

export interface HttpCall {
  /** As it came, and as JSON; null where none was sent. */
  text: string;
  body: unknown;
  query: Readonly<Record<string, string | undefined>>;
}

/** A request that cannot be followed: an error that says so. */
export class HttpRefusal extends Error {
  constructor(
    readonly statusCode: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const MAX_BYTES = 131_072;
const RETRY_MS = 50;

/** The one listening server; it can refuse connections for a while and come back at the same port. */
export class FacilitatorServer {
  private readonly http = fastify({
    bodyLimit: MAX_BYTES,
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    keepAliveTimeout: 65_000,
    forceCloseConnections: true,
  });
  private closed = false;

  constructor() {
    this.http.removeAllContentTypeParsers();
    this.http.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    this.http.setErrorHandler((error: FastifyError, _request, reply) => {
      const { statusCode = 500, code = 'internal_error', message } = error;
      if (statusCode >= 500) console.error(error);
      return reply.code(statusCode).send({ error: code, message });
    });
    // The call that takes the server down is still answered, and its connection is not kept.
    this.http.addHook('onSend', async (_request, reply) => {
      if (!this.http.server.listening) reply.header('connection', 'close');
    });
  }

  route(method: 'GET' | 'POST', url: string, handle: (call: HttpCall) => Reply | Promise<Reply>): void {
    this.http.route({
      method,
      url,
      handler: async (request, reply) => {
        const text = (request.body as string | undefined) ?? '';
        const query = request.query as HttpCall['query'];
        return send(await handle({ text, body: method === 'GET' ? null : jsonOf(text), query }), reply);
      },
    });
  }

  /** @param port 0 takes a free one. @returns the address. @throws Error with a sentence when the port is taken */
  async open(host: string, port: number): Promise<string> {
    const address = await this.http.listen({ port, host }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      const remedy = 'Stop it or set FACILITATOR_PORT to a free port.';
      throw new Error(`Port ${port} of ${host} is taken by another process. ${remedy}`);
    });
    return `http://${host}:${new URL(address).port}`;
  }

  /** Refuses connections for this long; calls that wait for an answer are broken off at the end of it. */
  async goDown(ms: number): Promise<void> {
    const { server } = this.http;
    const { address: host, port } = server.address() as AddressInfo;
    server.close();
    await sleep(ms, undefined, { ref: false });
    server.closeAllConnections();
    while (!this.closed && !server.listening) {
      await once(server.listen(port, host), 'listening').catch(() => sleep(RETRY_MS, undefined, { ref: false }));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const isDown = !this.http.server.listening;
    await this.http.close().catch((error: Error) => {
      if (!isDown) throw error;
    });
  }
}

/** @throws HttpRefusal when it is not JSON */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal(400, 'malformed_json', 'the body is not JSON');
  }
}

function send(what: Reply, reply: FastifyReply): FastifyReply {
  if (typeof what === 'string') {
    reply.hijack();
    if (what === 'reset') reply.raw.socket?.resetAndDestroy();
    return reply;
  }
  if ('text' in what) return reply.type('application/json').send(what.text);
  return reply.code(what.status).send(what.body);
}
