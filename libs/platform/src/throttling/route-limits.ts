import type { IncomingMessage } from 'node:http';
import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rate } from '../config';
import { callerOf, clientAddress } from '../http';
import { RateLimit } from './rate-limit';
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

/** The limits of the routes of an app. */
export class RouteLimits {
  private readonly limits: { limit: RateLimit; callerOf: (request: LimitedRequest) => string }[];

  /** @param limits by the names that `@LimitedBy` uses */
  constructor(windows: RateWindows, limits: Record<string, RouteLimit>, trustedProxyHops: number) {
    const byAddress = ({ raw }: LimitedRequest) => callerOf(clientAddress(raw, trustedProxyHops));
    // The shortest window first: who is over it has not used up the others.
    const entries = Object.entries(limits).sort(
      ([, one], [, other]) => one.rate.windowSeconds - other.rate.windowSeconds,
    );
    this.limits = entries.map(([policy, { rate, scope, callerOf: caller = byAddress }]) => {
      return { limit: new RateLimit(windows, policy, { policy, scope, rate }), callerOf: caller };
    });
  }

  /**
   * Counts a request.
   * @param names of the limits that it has
   * @returns the headers that its answer has: lists, as a route may have several limits
   * @throws RateLimited
   */
  async take(request: LimitedRequest, names: readonly string[]): Promise<Record<string, string>> {
    const policies: string[] = [];
    const statuses: string[] = [];
    for (const { limit, callerOf: caller } of this.limits) {
      if (!names.includes(limit.terms.policy)) continue;
      const status = await limit.take(caller(request));
      if (!status.allowed) throw limit.refusal(status);
      policies.push(limit.policyHeader['ratelimit-policy']);
      statuses.push(limit.statusHeader(status));
    }
    return policies.length === 0 ? {} : { 'ratelimit-policy': policies.join(', '), ratelimit: statuses.join(', ') };
  }
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; those of a handler replace those of its controller. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

/** Holds a route to the limits that `@LimitedBy` names. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly limits: RouteLimits,
    private readonly reflector: Reflector,
  ) {}

  /** @throws RateLimited */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const targets = [context.getHandler(), context.getClass()];
    const names = this.reflector.getAllAndOverride<string[] | undefined>(LIMITED_BY, targets) ?? [];
    void http.getResponse<FastifyReply>().headers(await this.limits.take(http.getRequest<FastifyRequest>(), names));
    return true;
  }
}
