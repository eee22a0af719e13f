import type { IncomingMessage, ServerResponse } from 'node:http';
import { inSpan, type TraceSpan } from '../observability';
import { errorText } from './error-answer';
import { MAX_ADDRESS_BYTES, PayloadTooLarge } from './http-errors';
import type { AllowedMethods } from './on-request';
import type { RouteCounts } from './request-records';
import { traceRequest } from './request-traces';
import { pathOf, requestIdOf } from './request';
import type { ResponsePolicy } from './response-policy';
import { bytesAsCharacters, ReadyAnswer, sendText, type TextAnswer } from './text-answers';

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
  private get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /**
   * Answers in one write to the socket.
   * @param more lines of headers that change from request to request
   */
  send(answer: TextAnswer, more = ''): void {
    const { status } = answer;
    const durationMs = this.elapsedMs;
    this.write(answer, more, () => this.policy.log(this.request, { status, requestId: this.id, durationMs }));
    this.route.counts.add(this.route.method, status, durationMs);
  }

  /** The same for an answer that is too cheap, and too frequent, for a line of its own in the log: it is only counted. */
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
