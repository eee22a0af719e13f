import type { Clock } from '@evenkeel/kernel';
import { Pool, type Dispatcher } from 'undici';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { cdpToken } from './cdp-token';
import { type CdpKey } from '../config/cdp-key';
import { collectAnswer, type Attempt } from './collect-answer';

const MAX_ANSWER_BYTES = 64 * 1024;
const CONNECTIONS = 64;

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

/** Told of every call: what was called, the class of the status that came back or `no_answer`, and how long it took. */
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
    this.pool = new Pool(url.origin, { connections: CONNECTIONS, maxResponseSize: MAX_ANSWER_BYTES });
    this.basePath = url.pathname.replace(/\/$/, '');
    this.host = url.host;
    this.cdpKey = config.cdpKey;
  }

  post(path: string, body: string, limits: CallLimits): Promise<Attempt> {
    return this.rawRequest('POST', path, body, limits);
  }

  get(path: string, limits: CallLimits): Promise<Attempt> {
    return this.rawRequest('GET', path, undefined, limits);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async rawRequest(...call: Parameters<FacilitatorConnection['attempt']>): Promise<Attempt> {
    const startedAt = performance.now();
    const answer = await this.attempt(...call);
    const outcome = answer.kind === 'answer' ? `${Math.floor(answer.status / 100)}xx` : 'no_answer';
    this.observe(call[1].slice(1), outcome, (performance.now() - startedAt) / 1_000);
    return answer;
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

/** Before an answer began: after that the call was heard, and trying again would be another call. */
function isConnectionFailure(attempt: Attempt): boolean {
  return attempt.kind === 'failure' && !attempt.answerBegan && CONNECTION_FAILURES.has(attempt.cause);
}
