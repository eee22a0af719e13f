import {
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
  type ServerResponse,
  type IncomingMessage,
} from 'node:http';
import { inSpan, type TraceSpan } from '../observability';
import { errorText } from './error-answer';
import { MAX_ADDRESS_BYTES, PayloadTooLarge } from './http-errors';
import type { AllowedMethods } from './on-request';
import type { RouteCounts } from './request-records';
import { traceRequest } from './request-traces';
import { pathOf, requestIdOf } from './request';
import type { ResponsePolicy } from './response-policy';

/** Answers a POST on the bare connection, before the framework: for the few routes whose cost is measured. */
export type Shortcut = (rawRequest: RawRequest) => void;

interface ShortcutRoute {
  shortcut: Shortcut;
  path: string;
  counts: RouteCounts;
  maxBodyBytes: number;
}

/** One request and its answer on the bare connection, with the policy of every other. */
export class RawRequest {
  readonly id: string;
  private readonly span: TraceSpan | null;
  private readonly startedAt = performance.now();

  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly policy: ResponsePolicy,
    private readonly route: ShortcutRoute,
  ) {
    this.id = requestIdOf(request);
    this.span = traceRequest(request, response, route.path, this.id);
  }

  /**
   * Reads the bytes of the body; one over the cap of the route is answered with 413. A sender that leaves in the middle
   * gets no answer, so `then` is not called.
   * @param then answers; what it throws, at once or later, is answered with `fail`
   */
  readBody(then: (body: Buffer) => void | Promise<void>): void {
    const { request } = this;
    const { maxBodyBytes } = this.route;
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (): void =>
      this.attempt(() => inSpan(this.span, () => then(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))));
    const refuse = (): void => {
      request.removeListener('data', take).removeListener('end', finish);
      this.fail(new PayloadTooLarge({ max_bytes: maxBodyBytes }));
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBodyBytes) return refuse();
      chunks.push(chunk);
    };
    if (Number(request.headers['content-length']) > maxBodyBytes) return refuse();
    request.on('data', take).on('end', finish);
  }

  /** Milliseconds since the head of the request was read. */
  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /**
   * Answers in one write to the socket.
   * @param more lines of headers that change from request to request
   */
  send(answer: ReadyAnswer, more = ''): void {
    this.write(answer, more);
    const { status } = answer;
    const durationMs = this.elapsedMs;
    this.route.counts.add('POST', status, durationMs);
    this.policy.log(this.request, { status, requestId: this.id, durationMs });
  }

  /** The same for an answer that is too cheap for a line of its own in the log: it is only counted. */
  sendCounted(answer: ReadyAnswer, more = ''): void {
    this.write(answer, more);
    this.route.counts.add('POST', answer.status, this.elapsedMs);
    this.policy.counted.add(this.route.path, answer.status);
  }

  /**
   * Answers any error in the documented shape.
   * @param more headers beside those of the error
   * @param about what the error does not know of its request, for the `errorShape` of the application
   */
  fail(error: unknown, more: Readonly<Record<string, string>> = {}, about?: object): void {
    const { status, headers, text } = errorText(this.request, this.id, error, this.policy.options, about);
    this.send(new ReadyAnswer(status, { ...more, ...headers }, Buffer.from(text).toString('latin1')));
  }

  private write({ status, lines, text }: ReadyAnswer, more: string): void {
    const common = this.policy.cors.linesFor(this.route.path, this.request.headers.origin);
    sendText(this.response, status, `x-request-id: ${this.id}\r\n${common}${more}${lines}`, text);
  }

  private attempt(answer: () => void | Promise<void>): void {
    try {
      answer()?.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }
}

/** The shortcuts of one application, found as `fastify.shortcuts`. */
export class Shortcuts {
  private readonly byPath = new Map<string, ShortcutRoute>();

  constructor(
    private readonly policy: ResponsePolicy,
    private readonly allowed: AllowedMethods,
  ) {}

  /** @param maxBodyBytes cap on a body; default that of the application */
  post(path: string, shortcut: Shortcut, { maxBodyBytes = this.policy.options.maxBodyBytes } = {}): void {
    this.byPath.set(path, { shortcut, path, counts: this.policy.requests.route(path), maxBodyBytes });
    this.allowed.add({ method: 'POST', url: path });
  }

  get paths(): string[] {
    return [...this.byPath.keys()];
  }

  /** @returns false when the framework must answer */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST' || request.url!.length > MAX_ADDRESS_BYTES) return false;
    const route = this.byPath.get(pathOf(request.url!));
    if (!route) return false;
    route.shortcut(new RawRequest(request, response, this.policy, route));
    return true;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts;
  }
}

type Headers = Readonly<Record<string, string>>;

const NOT_STORED = 'cache-control: no-store\r\n';

/** An answer whose headers are checked and written as text once, when many requests get it. */
export class ReadyAnswer {
  /** The lines of its own headers and of its length. */
  readonly lines: string;

  /**
   * @param status of HTTP, 100 to 599
   * @param headers when they do not have `Cache-Control`, no cache may store the answer
   * @param text its bytes, each as one character
   * @throws TypeError for a header that HTTP does not allow
   */
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    const ownCaching = Object.keys(headers).some((name) => name.toLowerCase() === 'cache-control');
    this.lines = `${headerLines(headers)}${ownCaching ? '' : NOT_STORED}content-length: ${text.length}\r\n`;
  }
}

/** @throws TypeError for a name or a value that HTTP does not allow */
export function headerLines(headers: Headers): string {
  let lines = '';
  for (const name of Object.keys(headers)) {
    const value = headers[name]!;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Idle connections stay open longer than a balancer in front keeps them. */
export const KEEP_ALIVE_MS = 65_000;

const CLOSE = 'connection: close\r\n';
const KEEP = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

/** Members of Node's own answer that are not part of its documented interface; bare-connection.int.spec.ts watches them. */
interface UnsentAnswer {
  /** The head, as Node will write it. */
  _header: string;
  /** The connection closes after this answer. Node sets it itself when the other side has closed its direction. */
  _last: boolean;
}

/**
 * Sends an answer that is already text, in one write. `writeHead` would look at each of some thousand characters of the
 * headers again for every request, and `end` would gather head and body into a third buffer (docs/adr/0008).
 * @param lines headers, each with its line end, without `Date` and those of the connection
 * @param body its bytes, each as one character
 */
export function sendText(response: ServerResponse, status: number, lines: string, body: string): void {
  const unsent = response as unknown as UnsentAnswer;
  unsent._last ||= !response.shouldKeepAlive;
  const connection = unsent._last ? CLOSE : KEEP;
  response.statusCode = status;
  unsent._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}date: ${date()}\r\n${connection}\r\n${body}`;
  endThisTurn(response);
}

let dateSecondMs = 0;
let dateText = '';

/** Formatted once a second. */
function date(): string {
  const now = Date.now();
  if (now - dateSecondMs >= 1_000) {
    dateSecondMs = now - (now % 1_000);
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}

let unended: ServerResponse[] = [];

/**
 * Ends an answer when all requests of this turn of the event loop have been read. A write to a reader that sleeps must
 * wake it, which costs a fifth of a short answer; a reader that is awake gets the other answers of the turn as well.
 * @see Redis, `handleClientsWithPendingWrites`
 */
function endThisTurn(response: ServerResponse): void {
  if (unended.push(response) === 1) setImmediate(endAll);
}

function endAll(): void {
  const responses = unended;
  unended = [];
  for (const response of responses) response.end();
}
