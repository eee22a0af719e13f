import { ErrorBody } from '@evenkeel/contracts';
import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiResponse } from '@nestjs/swagger';
import { LimitedBy, RateLimitGuard } from '../throttling/route-limits';
import { SignedInGuard } from './signed-in.guard';

const REFUSALS = {
  401: '`unauthorized`: no valid access token',
  429: '`rate_limited`: too many requests of this user',
};

/**
 * A controller or a handler for signed-in people: 401, then 429 by the limits, both documented.
 * @param limits as `@LimitedBy` takes them; empty where each handler has its own
 * @param refusals descriptions in place of the usual ones
 */
export function SignedInOnly(
  limits: readonly string[],
  refusals: Partial<typeof REFUSALS> = {},
): ClassDecorator & MethodDecorator {
  const { 401: unauthorized, 429: limited } = { ...REFUSALS, ...refusals };
  return applyDecorators(
    UseGuards(SignedInGuard, RateLimitGuard),
    ...(limits.length > 0 ? [LimitedBy(...limits)] : []),
    ApiBearerAuth('bearerAuth'),
    Refuses({ 401: unauthorized, 429: limited }),
  );
}

/** Documents the 503 of routes that need the database. */
export function NeedsDatabase(): ClassDecorator & MethodDecorator {
  return Refuses({ 503: '`service_unavailable`: the database is not there' });
}

/** Documents refusals of a controller or a handler: the codes of each status. */
export function Refuses(codes: Readonly<Record<number, string>>): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ...Object.entries(codes).map(([status, description]) =>
      ApiResponse({ status: Number(status), type: ErrorBody, description }),
    ),
  );
}
