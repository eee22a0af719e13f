import { ServiceUnavailable } from '@evenkeel/platform/http';
import type { FastifyReply } from 'fastify';

/**
 * For work that takes long, and is of use to its caller alone: it ends when the caller has gone, or after so long. A caller who closes its
 * own direction has gone: whether it still listens nobody can know before there is something to send.
 * @returns aborted then, with a ServiceUnavailable
 */
export function whileWaitedFor({ raw }: FastifyReply, withinMs: number): AbortSignal {
  const waiting = new AbortController();
  const { socket } = raw;
  const timer = setTimeout(() => end(), withinMs);
  const end = (): void => {
    clearTimeout(timer);
    socket?.off('end', end);
    waiting.abort(new ServiceUnavailable());
  };
  if (raw.closed || !socket || socket.readableEnded) end();
  else {
    raw.once('close', end);
    socket.once('end', end);
  }
  return waiting.signal;
}
