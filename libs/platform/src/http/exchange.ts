import type { IncomingMessage, ServerResponse } from 'node:http';
import { setHead } from './answer-head';
import { errorText } from './error-text';
import { PayloadTooLarge } from './http-errors';
import type { Manners } from './manners';
import type { ReadyAnswer } from './ready-answer';
import { requestIdOf } from './request-id';

/** One request and its answer on the bare connection, with the manners of every other. */
export class Exchange {
  readonly id: string;
  private readonly startedAt = performance.now();

  constructor(
    readonly request: IncomingMessage,
    private readonly path: string,
    private readonly response: ServerResponse,
    private readonly manners: Manners,
  ) {
    this.id = requestIdOf(request);
  }

  /**
   * The bytes of the body; one over the cap is answered with 413. A sender that leaves in the middle gets no answer, so
   * `then` is not called.
   * @param then answers; what it throws, at once or later, is answered with `fail`
   */
  readBody(then: (body: Buffer) => void | Promise<void>): void {
    const { request } = this;
    const { maxBodyBytes } = this.manners.options;
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (): void => this.attempt(() => then(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
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

  /**
   * Answers in one write to the socket. It is counted in the log, without a line of its own.
   * @param more lines of headers that change from request to request
   */
  send(answer: ReadyAnswer, more = ''): void {
    const common = this.manners.cors.linesFor(this.path, this.request.headers.origin);
    setHead(this.response, answer.status, `x-request-id: ${this.id}\r\n${common}${more}${answer.lines}`);
    this.response.end(answer.text, 'latin1');
    this.manners.tally.add(this.path, answer.status);
  }

  /** Any error in the documented shape. */
  fail(error: unknown): void {
    const { status, headers, text } = errorText(this.request, this.id, error, this.manners.options);
    const common = this.manners.cors.headersFor(this.path, this.request.headers.origin);
    const length = { 'content-length': Buffer.byteLength(text) };
    this.response.writeHead(status, { 'x-request-id': this.id, ...common, ...headers, ...length });
    this.response.end(text);
    this.manners.log(this.request, { status, requestId: this.id, durationMs: performance.now() - this.startedAt });
  }

  private attempt(answer: () => void | Promise<void>): void {
    try {
      answer()?.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }
}
