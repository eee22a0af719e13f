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

/** Answers a request on the bare connection, before the framework: for the few routes whose cost is measured. */
export type Shortcut = (rawRequest: RawRequest) => void;

interface ShortcutRoute {
  shortcut: Shortcut;
  method: string;
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

  /** @param answer what it throws, at once or later, is answered with `fail` */
  run(answer: () => void | Promise<void>): void {
    try {
      inSpan(this.span, answer)?.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Reads the bytes of the body; one over the cap of the route is answered with 413. A sender that leaves in the middle
   * gets no answer, so `then` is not called.
   * @param then answers, as in `run`
   */
  readBody(then: (body: Buffer) => void | Promise<void>): void {
    const { request } = this;
    const { maxBodyBytes } = this.route;
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (): void => this.run(() => then(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
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
  send(answer: TextAnswer, more = ''): void {
    const { status } = answer;
    const durationMs = this.elapsedMs;
    // Nobody waits for the line of another.
    this.write(answer, more, () => this.policy.log(this.request, { status, requestId: this.id, durationMs }));
    this.route.counts.add(this.route.method, status, durationMs);
  }

  /** The same for an answer that is too cheap for a line of its own in the log: it is only counted. */
  sendCounted(answer: TextAnswer, more = ''): void {
    this.write(answer, more);
    this.route.counts.add(this.route.method, answer.status, this.elapsedMs);
    this.policy.counted.add(this.route.path, answer.status);
  }

  /**
   * Answers any error in the documented shape.
   * @param more headers beside those of the error
   * @param about what the error does not know of its request, for the `errorShape` of the application
   */
  fail(error: unknown, more: Readonly<Record<string, string>> = {}, about?: object): void {
    const { status, headers, text } = errorText(this.request, this.id, error, this.policy.options, about);
    this.send(new ReadyAnswer(status, { ...more, ...headers }, bytesAsCharacters(text)));
  }

  private write({ status, lines, text }: TextAnswer, more: string, afterwards?: () => void): void {
    const common = this.policy.cors.linesFor(this.route.path, this.request.headers.origin);
    sendText(this.response, status, `x-request-id: ${this.id}\r\n${common}${more}${lines}`, text, afterwards);
  }
}

/** The shortcuts of one application, found as `fastify.shortcuts`. */
export class Shortcuts {
  private readonly byMethod = { GET: new Map<string, ShortcutRoute>(), POST: new Map<string, ShortcutRoute>() };

  constructor(
    private readonly policy: ResponsePolicy,
    private readonly allowed: AllowedMethods,
  ) {}

  /** For a route that the framework has as well: it still answers HEAD. No body is read. */
  get(path: string, shortcut: Shortcut): void {
    this.add('GET', path, shortcut, 0);
  }

  /** @param maxBodyBytes cap on a body; default that of the application */
  post(path: string, shortcut: Shortcut, { maxBodyBytes = this.policy.options.maxBodyBytes } = {}): void {
    this.add('POST', path, shortcut, maxBodyBytes);
  }

  /** Each as `POST /path`. */
  get routes(): string[] {
    return Object.entries(this.byMethod).flatMap(([method, byPath]) =>
      [...byPath.keys()].map((path) => `${method} ${path}`),
    );
  }

  /** @returns false when the framework must answer */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url } = request;
    if ((method !== 'POST' && method !== 'GET') || url!.length > MAX_ADDRESS_BYTES) return false;
    const route = this.byMethod[method].get(pathOf(url!));
    if (!route) return false;
    route.shortcut(new RawRequest(request, response, this.policy, route));
    return true;
  }

  private add(method: 'GET' | 'POST', path: string, shortcut: Shortcut, maxBodyBytes: number): void {
    const counts = this.policy.requests.route(path);
    this.byMethod[method].set(path, { shortcut, method, path, counts, maxBodyBytes });
    this.allowed.add({ method, url: path });
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts;
  }
}

type Headers = Readonly<Record<string, string>>;

const NOT_STORED = 'cache-control: no-store\r\n';

/** An answer without what depends on its request. */
interface TextAnswer {
  /** Of HTTP, 100 to 599. */
  status: number;
  /** The lines of its own headers and of its length. */
  lines: string;
  /** Its bytes, each as one character. */
  text: string;
}

const JSON_LINES = `content-type: application/json; charset=utf-8\r\n${NOT_STORED}`;

/** A value as JSON with 200. No cache may store it. */
export function jsonAnswer(value: object): TextAnswer {
  const text = bytesAsCharacters(JSON.stringify(value));
  return { status: 200, lines: `${JSON_LINES}content-length: ${text.length}\r\n`, text };
}

/** Most texts are ASCII, which stays as it is. */
function bytesAsCharacters(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}

/** An answer whose headers are checked and written as text once, when many requests get it. */
export class ReadyAnswer implements TextAnswer {
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
  for (const name of Object.keys(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, headers[name]!);
  }
  return uncheckedLines(headers);
}

/** The same for headers that hold nothing from outside: a check of each value costs as much as its line. */
export function uncheckedLines(headers: Headers): string {
  let lines = '';
  for (const name of Object.keys(headers)) lines += `${name}: ${headers[name]!}\r\n`;
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
 * @param afterwards done once all answers of this turn of the event loop are written
 */
export function sendText(
  response: ServerResponse,
  status: number,
  lines: string,
  body: string,
  afterwards?: () => void,
): void {
  const unsent = response as unknown as UnsentAnswer;
  unsent._last ||= !response.shouldKeepAlive;
  const connection = unsent._last ? CLOSE : KEEP;
  response.statusCode = status;
  unsent._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}date: ${date()}\r\n${connection}\r\n${body}`;
  endThisTurn({ response, afterwards });
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

interface Unended {
  response: ServerResponse;
  afterwards?: () => void;
}

let unended: Unended[] = [];

/**
 * Ends an answer when all requests of this turn of the event loop have been read. A write to a reader that sleeps must
 * wake it, which costs a fifth of a short answer; a reader that is awake gets the other answers of the turn as well.
 * @see Redis, `handleClientsWithPendingWrites`
 */
function endThisTurn(answer: Unended): void {
  if (unended.push(answer) === 1) setImmediate(endAll);
}

function endAll(): void {
  const answers = unended;
  unended = [];
  for (const { response } of answers) response.end();
  for (const { afterwards } of answers) afterwards?.();
}
