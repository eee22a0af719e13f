import type { FastifyReply } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';

export const API_MODES = ['down', 'slow', 'hang', 'error500', 'rate_limited', 'lost_answer'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** How long a slow answer takes by default. */
const SLOW_MS = 1_000;

/** Faults between the API and its callers. */
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

  /** Answers through the fault that is on. @param work does what was asked; its result writes the answer */
  async around(reply: FastifyReply, work: () => (reply: FastifyReply) => FastifyReply): Promise<FastifyReply> {
    const mode = this.left > 0 ? this.mode : null;
    this.left -= 1;
    if (mode === 'error500') {
      return reply.code(500).send({ error: { type: 'api_error', message: 'An unknown error occurred.' } });
    }
    if (mode === 'rate_limited') {
      const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' };
      return reply.code(429).header('retry-after', '1').send({ error });
    }
    if (mode === 'down' || mode === 'hang' || mode === 'lost_answer') {
      if (mode === 'lost_answer') work();
      reply.hijack();
      if (mode !== 'hang') reply.raw.socket?.resetAndDestroy();
      return reply;
    }
    if (mode === 'slow') {
      await sleep(this.ms, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
    }
    return work()(reply);
  }

  close(): void {
    this.closing.abort();
  }
}
