import type { IncomingMessage } from 'node:http';
import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
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

/** The limits of the ordinary routes of an app. */
export class RouteLimits {
  /** The one with the shortest window first. */
  private readonly limits: readonly { name: string; limit: RateLimit; callerOf: (request: LimitedRequest) => string }[];

  constructor(windows: RateWindows, limits: Readonly<Record<string, RouteLimit>>, trustedProxyHops: number) {
    const byAddress = ({ raw }: LimitedRequest) => callerOf(clientAddress(raw, trustedProxyHops));
    this.limits = Object.entries(limits)
      .sort(([, one], [, other]) => one.rate.windowSeconds - other.rate.windowSeconds)
      .map(([name, { rate, scope, callerOf: caller = byAddress }]) => {
        return { name, limit: new RateLimit(windows, name, { policy: name, scope, rate }), callerOf: caller };
      });
  }

  /**
   * Counts a request by the limits of its route.
   * @returns the headers that its answer has: lists, as a route may have several limits
   * @throws RateLimited
   */
  async take(request: LimitedRequest, names: readonly string[]): Promise<Record<string, string>> {
    const headers: Record<string, string>[] = [];
    for (const { limit, callerOf: of } of this.limits.filter(({ name }) => names.includes(name))) {
      const status = await limit.take(of(request));
      if (!status.allowed) throw limit.refusal(status);
      headers.push(limit.headers(status));
    }
    const joined = (name: string) => headers.map((one) => one[name]).join(', ');
    return headers.length === 0
      ? {}
      : { 'ratelimit-policy': joined('ratelimit-policy'), ratelimit: joined('ratelimit') };
  }
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; those of a handler replace those of its controller. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

/** Holds a route to the limits that `@LimitedBy` names. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RouteLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const names = this.reflector.getAllAndOverride<string[] | undefined>(LIMITED_BY, targets) ?? [];
    const http = context.switchToHttp();
    http.getResponse<FastifyReply>().headers(await this.limits.take(http.getRequest(), names));
    return true;
  }
}
