import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerMalformed, MAX_HEADER_BYTES } from './malformed-http';
import type { RequestHandler } from './request-handler';

const IDLE_SWEEP_MS = 50;

/** Idle connections are kept longer than a balancer in front keeps them. */
export const KEEP_ALIVE_MS = 65_000;

/** Every wait has an end. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Node would set a timer of its own twice for every request; the one of the socket ends idle connections as well.
  keepAliveTimeout: 0,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Without it Node answers by itself, in no documented shape.
  requireHostHeader: false,
} as const;

/** A listener that answers everything in a documented shape and can finish its work before it closes. */
export class HttpServer {
  readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private draining = false;

  constructor(handle: RequestHandler) {
    const serve: RequestHandler = (request, response) => {
      if (this.draining) response.shouldKeepAlive = false;
      handle(request, response);
    };
    this.server = createServer(LIMITS, serve).setTimeout(KEEP_ALIVE_MS);
    // Who closes his own direction after a request still hears the answer: he may have paid for it.
    (this.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    // An expectation we do not know is no reason to refuse a request we can answer.
    this.server.on('checkExpectation', serve);
    this.server.on('clientError', answerMalformed);
    this.server.on('connect', (_request, socket: Socket) => answerMalformed(new Error('CONNECT'), socket));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Stops accepting, lets open requests finish with `Connection: close`, and cuts what is left after `withinMs`. */
  async drain(withinMs: number): Promise<void> {
    this.draining = true;
    for (const socket of this.sockets) {
      const { _httpMessage: open } = socket as Socket & { _httpMessage?: ServerResponse };
      if (open) open.shouldKeepAlive = false;
      else if (socket.bytesRead === 0) socket.destroy();
    }
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // A connection whose answer had already been headed when the drain began turns idle later.
    const sweep = setInterval(() => this.server.closeIdleConnections(), IDLE_SWEEP_MS);
    const deadline = setTimeout(() => this.server.closeAllConnections(), withinMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}
