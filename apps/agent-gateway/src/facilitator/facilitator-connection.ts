import { randomBytes } from 'node:crypto';
import type { Clock } from '@evenkeel/kernel';
import { Pool, type Dispatcher } from 'undici';
import { compactJws } from '../config/jws';
import type { CdpKey } from '../config/keys';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';

const LIFETIME_SECONDS = 120;

/** A JWT for one call: bound to method, host and path, valid for two minutes. */
export function cdpToken({ id, key }: CdpKey, method: string, host: string, path: string, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const claims = {
    sub: id,
    iss: 'cdp',
    aud: ['cdp_service'],
    nbf: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    uris: [`${method} ${host}${path}`],
  };
  return compactJws({ typ: 'JWT', kid: id, nonce: randomBytes(16).toString('hex') }, claims, key);
}

const MAX_ANSWER_BYTES = 64 * 1024;

const CONNECTION_FAILURES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

interface CallLimits {
  /** For all attempts together. */
  timeoutMs: number;
  /** Once more when the connection failed before an answer began: right for a read, never for settle. */
  retryConnection: boolean;
}

/** Called after every call: what was called, the class of the status that came back or `no_answer`, and how long it took. */
type CallObserver = (call: string, outcome: string, seconds: number) => void;

/** Keep-alive connections to one facilitator: bounded in time and size, no redirects, never throws. */
export class FacilitatorConnection {
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly host: string;
  private readonly cdpKey: CdpKey | null;

  constructor(
    config: AgentGatewayConfig,
    private readonly clock: Clock,
    private readonly observe: CallObserver = () => undefined,
  ) {
    const url = new URL(config.FACILITATOR_URL!);
    this.pool = new Pool(url.origin, { connections: config.PAID_CALLS_MAX, maxResponseSize: MAX_ANSWER_BYTES });
    this.basePath = url.pathname.replace(/\/$/, '');
    this.host = url.host;
    this.cdpKey = config.cdpKey;
  }

  /** A POST of the body; without one a GET. */
  async call(path: string, limits: CallLimits, body?: string): Promise<Attempt> {
    const startedAt = performance.now();
    const answer = await this.attempt(body === undefined ? 'GET' : 'POST', path, body, limits);
    const outcome = answer.kind === 'answer' ? `${Math.floor(answer.status / 100)}xx` : 'no_answer';
    this.observe(path.slice(1), outcome, (performance.now() - startedAt) / 1_000);
    return answer;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async attempt(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    { timeoutMs, retryConnection }: CallLimits,
  ): Promise<Attempt> {
    const endsAt = performance.now() + timeoutMs;
    const first = await collectAnswer(this.pool, this.request(method, path, body), timeoutMs);
    if (!retryConnection || !isConnectionFailure(first)) return first;
    const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()));
    return collectAnswer(this.pool, this.request(method, path, body), leftMs);
  }

  private request(method: 'GET' | 'POST', path: string, body: string | undefined): Dispatcher.DispatchOptions {
    const fullPath = this.basePath + path;
    const headers = ['content-type', 'application/json'];
    if (this.cdpKey) {
      headers.push('authorization', `Bearer ${cdpToken(this.cdpKey, method, this.host, fullPath, this.clock.now())}`);
    }
    // The pool's timers for head and body would only repeat ours.
    return { method, path: fullPath, headers, body, headersTimeout: 0, bodyTimeout: 0 };
  }
}

/** Before an answer began: after that the facilitator has the call, and trying again would be another call. */
function isConnectionFailure(attempt: Attempt): boolean {
  return attempt.kind === 'failure' && !attempt.answerBegan && CONNECTION_FAILURES.has(attempt.cause);
}

/** The result of one attempt at a call; `body` is undefined when the answer is not JSON. */
export type Attempt =
  { kind: 'answer'; status: number; body: unknown } | { kind: 'failure'; cause: string; answerBegan: boolean };

/**
 * Never rejects; the time is for connecting too. Undici's own `request` makes a stream and listens to an abort signal for each
 * call, which is not needed here and costs as much as the rest of the call together.
 */
function collectAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<Attempt> {
  return new Promise((resolve) => {
    dispatcher.dispatch(request, new Collector(resolve, timeoutMs));
  });
}

class Collector implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller?: Dispatcher.DispatchController;
  private readonly chunks: Buffer[] = [];
  private status?: number;
  private timedOut = false;

  constructor(
    private readonly resolve: (attempt: Attempt) => void,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => this.giveUp(timeoutMs), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // No caller waits for it any more: it got its connection too late.
    if (this.timedOut) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.timer);
    const text = (this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks)).toString();
    this.resolve({ kind: 'answer', status: this.status!, body: parsed(text) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    this.fail(error.code ?? 'connection failed');
  }

  private giveUp(timeoutMs: number): void {
    this.timedOut = true;
    this.fail(`no answer in ${timeoutMs} ms`);
    this.controller?.abort(new Error('too late'));
  }

  private fail(cause: string): void {
    clearTimeout(this.timer);
    this.resolve({ kind: 'failure', cause, answerBegan: this.status !== undefined });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
