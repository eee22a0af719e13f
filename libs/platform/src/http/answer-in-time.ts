import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendError } from './error-answer';
import { ServiceUnavailable } from './http-errors';
import type { HttpOptions } from './http-options';
import { pathOf } from './request';

/** Nobody waits for more than five seconds: the rest is for the way there and back. */
const ANSWERED_WITHIN_MS = 4_700;

/** Replies whose handlers have decided: what becomes of their work is the answer. */
const decided = new WeakSet<FastifyReply>();

/**
 * Whatever a handler waits for, its caller gets 503 in time, and the handler goes on without them. The time begins with
 * the whole request, and ends where an answer begins, or where a handler has decided (`decideAnswer`).
 */
export function answerInTime(fastify: FastifyInstance, options: HttpOptions): void {
  const { answerWithinMs = ANSWERED_WITHIN_MS, isLong = () => false, logger } = options;
  if (answerWithinMs === Infinity) return;
  fastify.addHook('preHandler', (request, reply, done) => {
    if (!isLong(pathOf(request.url))) {
      const timer = setTimeout(() => {
        if (reply.sent || decided.has(reply)) return;
        logger.warn({ requestId: request.id, answerWithinMs }, 'not answered in time');
        sendError(request, reply, new ServiceUnavailable(), options);
        // Nobody reads what comes after the answer: a stream ends, with what it holds open.
        reply.send = (late) => {
          if (late instanceof Readable) late.destroy();
          return reply;
        };
      }, answerWithinMs);
      reply.raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * For work that is valid if and only if its caller gets the answer: called before COMMIT. From then on no 503 goes out,
 * however long the work takes.
 * @returns false when nobody waits for the answer any more: then the work must not be committed
 */
export function decideAnswer(reply: FastifyReply): boolean {
  if (reply.sent || reply.raw.destroyed) return false;
  decided.add(reply);
  return true;
}
