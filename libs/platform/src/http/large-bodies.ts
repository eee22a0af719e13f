import type { FastifyRequest, FastifyReply, preParsingHookHandler } from 'fastify';
import { RateLimited } from './http-errors';
import { callerOf, clientAddress } from './request';

const MEBIBYTE = 1024 * 1024;
/** A body below it is no burden. */
const LARGE_BYTES = MEBIBYTE;
const AT_ONCE_BYTES = 96 * MEBIBYTE;
const AT_ONCE_OF_A_CALLER = 4;

/**
 * Room for the bodies of routes that take larger ones than others: they arrive before anybody knows who sends them, and stay in memory
 * until the answer.
 */
export class LargeBodies {
  private bytes = 0;
  private readonly callers = new Map<string, number>();

  constructor(private readonly trustedProxyHops: number) {}

  /** @param mostBytes what a body without a stated length may have */
  hook(mostBytes: number): preParsingHookHandler {
    return (request, reply, payload, done) => {
      const stated = request.headers['content-length'];
      const bytes = stated === undefined ? mostBytes : Number(stated);
      const isRefused = bytes >= LARGE_BYTES && bytes <= mostBytes && !this.take(bytes, request, reply);
      if (isRefused) done(new RateLimited({ scope: 'concurrency' }));
      else done(null, payload);
    };
  }

  private take(bytes: number, { raw }: FastifyRequest, reply: FastifyReply): boolean {
    const caller = callerOf(clientAddress(raw, this.trustedProxyHops));
    const ofCaller = this.callers.get(caller) ?? 0;
    if (this.bytes + bytes > AT_ONCE_BYTES || ofCaller >= AT_ONCE_OF_A_CALLER) return false;
    this.bytes += bytes;
    this.callers.set(caller, ofCaller + 1);
    reply.raw.once('close', () => {
      this.bytes -= bytes;
      const left = this.callers.get(caller)! - 1;
      if (left === 0) this.callers.delete(caller);
      else this.callers.set(caller, left);
    });
    return true;
  }
}
