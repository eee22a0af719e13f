import type { FastifyReply } from 'fastify';
import { ServiceUnavailable } from './http-errors';

/**
 * For work that takes long, and is of use to its caller alone: it ends when the caller has gone, or after so long.
 * @returns aborted then, with a ServiceUnavailable
 */
export function whileWaitedFor({ raw }: FastifyReply, withinMs: number): AbortSignal {
  const waiting = new AbortController();
  const timer = setTimeout(() => end(), withinMs);
  const end = (): void => {
    clearTimeout(timer);
    waiting.abort(new ServiceUnavailable());
  };
  if (raw.closed) end();
  else raw.once('close', end);
  return waiting.signal;
}
