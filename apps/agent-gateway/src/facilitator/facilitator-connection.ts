import type { Clock } from '@evenkeel/kernel';
import { Pool } from 'undici';
import type { AgentGatewayConfig } from '../agent-gateway.config';
import { cdpToken, type CdpKey } from './cdp-token';

const MAX_ANSWER_BYTES = 64 * 1024;
const CONNECTIONS = 64;

/** `body` is undefined when the answer is not JSON. */
export type Exchange = { kind: 'answer'; status: number; body: unknown } | { kind: 'failure'; cause: string };

interface CallLimits {
  /** For all attempts together. */
  timeoutMs: number;
  /** Once more when the connection failed before an answer began: right for a read, never for settle. */
  retryConnection: boolean;
}

/** Keep-alive connections to one facilitator: bounded in time and size, no redirects, never throws. */
export class FacilitatorConnection {
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly host: string;
  private readonly cdpKey: CdpKey | null;

  constructor(
    config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {
    const url = new URL(config.FACILITATOR_URL!);
    this.pool = new Pool(url.origin, { connections: CONNECTIONS, maxResponseSize: MAX_ANSWER_BYTES });
    this.basePath = url.pathname.replace(/\/$/, '');
    this.host = url.host;
    this.cdpKey = config.cdpKey;
  }

  async post(path: string, body: string, limits: CallLimits): Promise<Exchange> {
    return this.exchange('POST', path, body, limits);
  }

  async get(path: string, limits: CallLimits): Promise<Exchange> {
    return this.exchange('GET', path, undefined, limits);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async exchange(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    { timeoutMs, retryConnection }: CallLimits,
  ): Promise<Exchange> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const attempt = () => this.attempt(method, this.basePath + path, body, abort.signal);
    try {
      return await attempt().catch((error: unknown) => {
        if (!retryConnection || !isConnectionFailure(error)) throw error;
        return attempt();
      });
    } catch (error) {
      return { kind: 'failure', cause: abort.signal.aborted ? `no answer in ${timeoutMs} ms` : codeOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  private async attempt(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<Exchange> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (this.cdpKey) {
      headers['authorization'] = `Bearer ${cdpToken(this.cdpKey, method, this.host, path, this.clock.now())}`;
    }
    const response = await this.pool.request({ method, path, headers, body, signal });
    try {
      return { kind: 'answer', status: response.statusCode, body: parsed(await response.body.text()) };
    } catch (error) {
      // An answer began, so the call was heard: trying again would be another call.
      return { kind: 'failure', cause: codeOf(error) };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isConnectionFailure(error: unknown): boolean {
  return ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? 'connection failed';
}
