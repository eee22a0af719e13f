import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import type { RouteThrottler } from './route-limits';

/** The throttler of Nest, with our headers and our 429: holds a route to the limits that `@LimitedBy` names. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async handleRequest({ context, throttler, limit, ttl, getTracker }: ThrottlerRequest) {
    const { req, res } = this.getRequestResponse(context);
    const { name, answers } = throttler as RouteThrottler;
    const caller = await getTracker(req, context);
    const { isBlocked, totalHits, timeToExpire } = await this.storageService.increment(caller, ttl, limit, 0, name);
    const standing = { allowed: !isBlocked, used: totalHits, resetMs: timeToExpire * 1_000 };
    if (isBlocked) throw answers.refusal(standing);
    addTo(res as FastifyReply, answers.headers(standing));
    return true;
  }
}

/** A route may have several limits: these headers are lists. */
function addTo(reply: FastifyReply, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const before = reply.getHeader(name);
    reply.header(name, before === undefined ? value : `${String(before)}, ${value}`);
  }
}
