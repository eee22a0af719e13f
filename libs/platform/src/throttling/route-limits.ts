import { Injectable, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest, type ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rate } from '../config';
import { callerOf, clientAddress } from '../http';
import { LimitAnswers } from './rate-limit';
import type { RateWindows } from './rate-windows.port';

/** A limit of ordinary routes. */
export interface RouteLimit {
  rate: Rate;
  /** Who is limited, as the body of a 429 says it. */
  scope: string;
  /** Who is counted. Default: the address that the request comes from. */
  callerOf?: (request: FastifyRequest) => string;
}

/** A throttler of Nest with the answers of its limit. */
interface RouteThrottler extends ThrottlerOptions {
  name: string;
  answers: LimitAnswers;
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; those of a handler replace those of its controller. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

function isLimitedBy(name: string, context: ExecutionContext): boolean {
  const namesOf = (target: object) => Reflect.getMetadata(LIMITED_BY, target) as string[] | undefined;
  return (namesOf(context.getHandler()) ?? namesOf(context.getClass()) ?? []).includes(name);
}

/** The limits as the throttler of Nest takes them. */
export function routeThrottlers(limits: Record<string, RouteLimit>, trustedProxyHops: number): RouteThrottler[] {
  const byAddress = ({ raw }: FastifyRequest) => callerOf(clientAddress(raw, trustedProxyHops));
  return Object.entries(limits).map(([name, { rate, scope, callerOf: caller = byAddress }]) => ({
    name,
    limit: rate.limit,
    ttl: rate.windowSeconds * 1_000,
    getTracker: (request) => caller(request as FastifyRequest),
    skipIf: (context: ExecutionContext) => !isLimitedBy(name, context),
    answers: new LimitAnswers({ policy: name, scope, rate }),
  }));
}

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Lets the throttler of Nest count in our windows. A block ends when its window has room again. */
export class WindowThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly windows: RateWindows) {}

  async increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerStorageRecord> {
    const rate = { limit, windowSeconds: ttl / 1_000 };
    const { allowed, used, resetMs } = await this.windows.take(`${throttlerName}:${key}`, rate);
    const seconds = Math.max(1, Math.ceil(resetMs / 1_000));
    return { totalHits: used, timeToExpire: seconds, isBlocked: !allowed, timeToBlockExpire: allowed ? 0 : seconds };
  }
}

/** The throttler of Nest, with our headers and our 429: holds a route to the limits that `@LimitedBy` names. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async handleRequest({ context, throttler, limit, ttl, getTracker }: ThrottlerRequest) {
    const { req, res } = this.getRequestResponse(context);
    const { name, answers } = throttler as RouteThrottler;
    const caller = await getTracker(req, context);
    const { isBlocked, totalHits, timeToExpire } = await this.storageService.increment(caller, ttl, limit, 0, name);
    const status = { allowed: !isBlocked, used: totalHits, resetMs: timeToExpire * 1_000 };
    if (isBlocked) throw answers.refusal(status);
    addTo(res as FastifyReply, answers.headers(status));
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
