import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendJson } from './api';

export const API_MODES = ['down', 'slow', 'hang', 'error500', 'rate_limited', 'lost_answer'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** How long a slow answer takes unless told. */
const SLOW_MS = 1_000;

/** What goes wrong between the API and its callers. */
export class ApiFaults {
  private mode: ApiMode | null = null;
  private left = 0;
  private ms = SLOW_MS;
  private readonly closing = new AbortController();

  set(mode: ApiMode | null, count = Infinity, ms = SLOW_MS): void {
    this.mode = mode;
    this.left = count;
    this.ms = ms;
  }

  /** Answers through the fault that is on. @param answer does the work and writes the answer to where it is told */
  async around(response: ServerResponse, answer: (answered: ServerResponse | null) => void): Promise<void> {
    const mode = this.take();
    if (mode === null) return answer(response);
    if (mode === 'hang') return;
    if (mode === 'down') return void response.socket?.resetAndDestroy();
    if (mode === 'error500') {
      return sendJson(response, 500, { error: { type: 'api_error', message: 'An unknown error occurred.' } });
    }
    if (mode === 'rate_limited') {
      const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' };
      return sendJson(response, 429, { error }, { 'retry-after': '1' });
    }
    if (mode === 'lost_answer') {
      answer(null);
      return void response.socket?.resetAndDestroy();
    }
    await sleep(this.ms, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
    answer(response);
  }

  close(): void {
    this.closing.abort();
  }

  private take(): ApiMode | null {
    if (this.left <= 0) return null;
    this.left -= 1;
    return this.mode;
  }
}
