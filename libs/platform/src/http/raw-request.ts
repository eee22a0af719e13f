import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './send-text';
import type { FailedCall } from './error-body';
import { errorText } from './error-text';
import { PayloadTooLarge } from './http-errors';
import type { ResponsePolicy } from './response-policy';
import { ReadyAnswer } from './ready-answer';
import type { RouteCounts } from './request-counts';
import { requestIdOf } from './request-id';

/** One request and its answer on the bare connection, with the policy of every other. */
export class RawRequest {
  readonly id: string;
  private readonly startedAt = performance.now();

  constructor(
    readonly request: IncomingMessage,
    private readonly path: string,
    private readonly response: ServerResponse,
    private readonly policy: ResponsePolicy,
    private readonly counts: RouteCounts,
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
    const { maxBodyBytes } = this.policy.options;
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

  /** Since the head of the request was read. */
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
    this.counts.add('POST', status, durationMs);
    this.policy.log(this.request, { status, requestId: this.id, durationMs });
  }

  /** The same for an answer that is too cheap for a line of its own in the log: it is counted. */
  sendCounted(answer: ReadyAnswer, more = ''): void {
    this.write(answer, more);
    this.counts.add('POST', answer.status, this.elapsedMs);
    this.policy.tally.add(this.path, answer.status);
  }

  /**
   * Any error in the documented shape.
   * @param more headers beside those of the error
   * @param about what the error does not know of its call
   */
  fail(error: unknown, more: Readonly<Record<string, string>> = {}, about?: FailedCall): void {
    const { status, headers, text } = errorText(this.request, this.id, error, this.policy.options, about);
    this.send(new ReadyAnswer(status, { ...more, ...headers }, Buffer.from(text).toString('latin1')));
  }

  private write({ status, lines, text }: ReadyAnswer, more: string): void {
    const common = this.policy.cors.linesFor(this.path, this.request.headers.origin);
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
