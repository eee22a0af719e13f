import type { IncomingMessage } from 'node:http';
import { Injectable, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rate } from '../config';
import { callerOf, clientAddress } from '../http';
import { LimitAnswers } from './rate-limit';
import type { RateWindows } from './rate-windows';

/** The request that a limit reads: of the framework, or of Node. */
export interface LimitedRequest {
  raw: IncomingMessage;
}

/** A limit of ordinary routes. */
export interface RouteLimit {
  rate: Rate;
  /** Who is limited, as the body of a 429 says it. */
  scope: string;
  /** Who is counted. Default: the address that the request comes from. */
  callerOf?: (request: LimitedRequest) => string;
}

/** A throttler of Nest with the answers of its limit. */
interface RouteThrottler extends ThrottlerOptions {
  name: string;
  limit: number;
  /** Milliseconds. */
  ttl: number;
  callerOf: (request: LimitedRequest) => string;
  answers: LimitAnswers;
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; those of a handler replace those of its controller. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

/** The limits as the throttler of Nest takes them. */
export function routeThrottlers(limits: Record<string, RouteLimit>, trustedProxyHops: number): RouteThrottler[] {
  const byAddress = ({ raw }: LimitedRequest) => callerOf(clientAddress(raw, trustedProxyHops));
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
 * The throttler of Nest, with our headers and our 429: holds a route to the limits that `@LimitedBy` names. Its own decorators, which
 * Nest reads for every limit and request, have no effect.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context) as { req: FastifyRequest; res: FastifyReply };
    const targets = [context.getHandler(), context.getClass()];
    const names = this.reflector.getAllAndOverride<string[] | undefined>(LIMITED_BY, targets) ?? [];
    const limits = (this.throttlers as RouteThrottler[]).filter(({ name }) => names.includes(name));
    res.headers(await this.take(req, limits));
    return true;
  }

  /**
   * Counts a request.
   * @returns the headers that its answer has: lists, as a route may have several limits
   * @throws RateLimited
   */
  private async take(request: LimitedRequest, limits: readonly RouteThrottler[]): Promise<Record<string, string>> {
    const policies: string[] = [];
    const statuses: string[] = [];
    for (const { name, limit, ttl, callerOf: of, answers } of limits) {
      const counted = await this.storageService.increment(of(request), ttl, limit, 0, name);
      const status = { allowed: !counted.isBlocked, used: counted.totalHits, resetMs: counted.timeToExpire * 1_000 };
      if (!status.allowed) throw answers.refusal(status);
      policies.push(answers.policyHeader['ratelimit-policy']);
      statuses.push(answers.statusHeader(status));
    }
    return limits.length === 0 ? {} : { 'ratelimit-policy': policies.join(', '), ratelimit: statuses.join(', ') };
  }
}
