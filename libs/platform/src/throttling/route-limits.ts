import { Injectable, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerStorage } from '@nestjs/throttler';
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
  limit: number;
  /** Milliseconds. */
  ttl: number;
  callerOf: (request: FastifyRequest) => string;
  answers: LimitAnswers;
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; those of a handler replace those of its controller. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

function namesOf(context: ExecutionContext): readonly string[] {
  const namesAt = (target: object) => Reflect.getMetadata(LIMITED_BY, target) as string[] | undefined;
  return namesAt(context.getHandler()) ?? namesAt(context.getClass()) ?? [];
}

/** The limits as the throttler of Nest takes them. */
export function routeThrottlers(limits: Record<string, RouteLimit>, trustedProxyHops: number): RouteThrottler[] {
  const byAddress = ({ raw }: FastifyRequest) => callerOf(clientAddress(raw, trustedProxyHops));
  return Object.entries(limits).map(([name, { rate, scope, callerOf: caller = byAddress }]) => ({
    name,
    limit: rate.limit,
    ttl: rate.windowSeconds * 1_000,
    callerOf: caller,
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

/**
 * The throttler of Nest, with our headers and our 429: holds a route to the limits that `@LimitedBy` names. Which these are is
 * looked up once for each handler; its own decorators, which Nest reads for every limit and request, have no effect.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  private readonly byClass = new WeakMap<object, Map<object, RouteThrottler[]>>();

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    for (const throttler of this.throttlersFor(context)) await this.hit(context, throttler);
    return true;
  }

  private throttlersFor(context: ExecutionContext): RouteThrottler[] {
    const byHandler = this.byClass.get(context.getClass()) ?? new Map<object, RouteThrottler[]>();
    const known = byHandler.get(context.getHandler());
    if (known) return known;
    const names = namesOf(context);
    const found = (this.throttlers as RouteThrottler[]).filter(({ name }) => names.includes(name));
    this.byClass.set(context.getClass(), byHandler.set(context.getHandler(), found));
    return found;
  }

  private async hit(context: ExecutionContext, { name, limit, ttl, callerOf: of, answers }: RouteThrottler) {
    const { req, res } = this.getRequestResponse(context) as { req: FastifyRequest; res: FastifyReply };
    const { isBlocked, totalHits, timeToExpire } = await this.storageService.increment(of(req), ttl, limit, 0, name);
    const status = { allowed: !isBlocked, used: totalHits, resetMs: timeToExpire * 1_000 };
    if (isBlocked) throw answers.refusal(status);
    addTo(res, 'ratelimit-policy', answers.policyHeader['ratelimit-policy']);
    addTo(res, 'ratelimit', answers.statusHeader(status));
  }
}

/** A route may have several limits: these headers are lists. */
function addTo(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? value : `${String(before)}, ${value}`);
}
