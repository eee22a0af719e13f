import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer, plainErrorShape, type ErrorShape } from './error-answer';
import { HeadersTooLarge, MalformedRequest, MAX_HEADER_BYTES, UriTooLong } from './http-errors';
import { requestIdOf } from './request';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Idle connections stay open longer than a balancer in front keeps them. */
export const KEEP_ALIVE_MS = 65_000;

const IDLE_SWEEP_MS = 50;
const SILENCE_MS = 500;

/** Every wait has an end. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Without it Node answers by itself, in no documented shape.
  requireHostHeader: false,
} as const;

/** A listener that answers everything in a documented shape and can finish its work before it closes. */
export class HttpServer {
  readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly open = new Set<ServerResponse>();
  private draining = false;

  /** @param errorShape of the answer to what is no HTTP; default code and message alone */
  constructor(
    handle: RequestHandler,
    private readonly errorShape: ErrorShape = plainErrorShape,
  ) {
    const serve: RequestHandler = (request, response) => {
      this.open.add(response);
      response.once('close', () => this.open.delete(response));
      if (this.draining) response.setHeader('Connection', 'close');
      handle(request, response);
    };
    this.server = createServer(LIMITS, serve).setTimeout(KEEP_ALIVE_MS);
    // A client that closes its own direction after a request still gets the answer.
    (this.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    // An expectation we do not know is no reason to refuse a request we can answer.
    this.server.on('checkExpectation', serve);
    this.server.on('clientError', (error, socket: Socket) => this.answerMalformed(error, socket));
    this.server.on('connect', (_request, socket: Socket) => this.answerMalformed(new Error('CONNECT'), socket));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Stops accepting, lets open requests finish with `Connection: close`, and cuts what is left after `withinMs`. */
  async drain(withinMs: number): Promise<void> {
    this.draining = true;
    // The system would reset the connections that wait to be accepted; a request may already be on its way in them.
    await setImmediate();
    for (const response of this.open) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // A connection whose head was already written when the drain began turns idle later.
    const sweep = setInterval(() => this.server.closeIdleConnections(), IDLE_SWEEP_MS);
    const deadline = setTimeout(() => this.server.closeAllConnections(), withinMs);
    // One that was made before its first request may never get any.
    const silence = setTimeout(() => {
      for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SILENCE_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(silence);
    clearTimeout(deadline);
  }

  /** Answers what Node's parser refuses: bytes that are no HTTP, headers without end, requests that never finish. */
  private answerMalformed(error: ParserError, socket: Socket): void {
    // A browser reads bytes on a connection that it made early as the answer to its next request.
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    // An answer that has begun on a connection must not get a second one into its middle.
    const hasBegun = [...this.open].some((response) => response.socket === socket && response.headersSent);
    if (error.code === 'ECONNRESET' || isUnused || !socket.writable || hasBegun) socket.destroy();
    else socket.end(rawAnswer(malformedError(error, socket), this.errorShape), () => socket.destroy());
  }
}

/** The error of Node's parser for bytes that it refuses. */
interface ParserError extends Error {
  code?: string;
  /** The bytes that came last. */
  rawPacket?: Buffer;
}

function malformedError({ code, rawPacket }: ParserError, { bytesRead }: Socket): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return isOneLine(rawPacket, bytesRead) ? new UriTooLong() : new HeadersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new MalformedRequest('The request did not arrive in time.');
  return new MalformedRequest();
}

/** Whether all that has come on a connection is a request line without end. */
function isOneLine(packet: Buffer | undefined, bytesRead: number): boolean {
  return packet !== undefined && packet.length === bytesRead && !packet.subarray(0, MAX_HEADER_BYTES).includes('\n');
}

/** The address is not known: the request could not be parsed. */
function rawAnswer(error: DomainError, errorShape: ErrorShape): string {
  const answer = errorAnswer(error);
  const body = JSON.stringify(errorShape(null, answer));
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    `X-Request-Id: ${requestIdOf({ headers: {} })}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** A listener could not be opened; the message is for the person who started the process. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** A port that a program is about to open. */
export interface WantedPort {
  port: number;
  /** Default: every address of the machine. */
  host?: string;
  /** Name of the setting that holds it. */
  variable: string;
}

/**
 * Opens a listener.
 * @returns the address with the port it really has
 * @throws CannotListen when the port is taken or not allowed
 */
export async function listen(server: Server, { port, host, variable }: WantedPort): Promise<string> {
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, port, host ?? 'this machine', variable);
  }
  return urlOf(server.address() as AddressInfo);
}

function cannotListen(error: NodeJS.ErrnoException, port: number, host: string, variable: string): CannotListen {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another process. Stop it or set ${variable} to a free port.`,
    EACCES: `This user may not listen on port ${port}. Set ${variable} to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}.`,
  };
  return new CannotListen(reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}.`, { cause: error });
}

/** A wildcard is no address to call: the same machine answers on the loopback. */
function urlOf({ address, port, family }: AddressInfo): string {
  if (address === '::' || address === '0.0.0.0') return `http://localhost:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
