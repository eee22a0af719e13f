import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Rate } from '../config';
import { callerOf, clientAddress } from '../http';
import { LimitAnswers, type RateLimitTerms } from './limit-answers';

/** A limit of ordinary routes. */
export interface RouteLimit {
  rate: Rate;
  scope: RateLimitTerms['scope'];
  /** Who is counted. Default: the address that the request comes from. */
  callerOf?: (request: FastifyRequest) => string;
}

/** A throttler of Nest that knows its words. */
export interface RouteThrottler extends ThrottlerOptions {
  name: string;
  answers: LimitAnswers;
}

const LIMITED_BY = 'evenkeel:limited-by';

/** Names the limits of a controller or a handler, for `RateLimitGuard`; a handler's word replaces its controller's. */
export const LimitedBy = (...names: string[]) => SetMetadata(LIMITED_BY, names);

function isLimitedBy(name: string, context: ExecutionContext): boolean {
  const namesOf = (target: object) => Reflect.getMetadata(LIMITED_BY, target) as string[] | undefined;
  return (namesOf(context.getHandler()) ?? namesOf(context.getClass()) ?? []).includes(name);
}

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
