import type { IncomingMessage } from 'node:http';
import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Unauthorized } from '../http';
import type { LimitedRequest } from '../throttling/route-limits';
import { AccessTokens, type AccessClaims } from './access-tokens';

/** The person behind a token as a service knows them: at least who they are, and by which session. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/** Says, on every request, whether the session of a token still lives. */
export abstract class LiveSessions<User extends SignedIn = SignedIn> {
  /** @returns null when the session or its user is over */
  abstract find(claims: AccessClaims): Promise<User | null>;
}

type RequestOfUser = LimitedRequest & { user?: SignedIn };

/** Lets in who has an access token of a live session; `@CurrentUser()` is then what the service knows of them. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: LiveSessions,
  ) {}

  /** @throws Unauthorized */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestOfUser>();
    const claims = await this.tokens.claimsOf(bearerToken(request.raw));
    const user = await this.sessions.find(claims);
    if (!user) throw new Unauthorized();
    request.user = user;
    return true;
  }
}

/** @throws Unauthorized when there is none */
export function bearerToken({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const { authorization = '' } = headers;
  const [scheme] = /^bearer +/i.exec(authorization) ?? [];
  if (scheme === undefined) throw new Unauthorized();
  return authorization.slice(scheme.length);
}

/** The person that `SignedInGuard` found: `@CurrentUser() user: AccountUser`. */
export const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<RequestOfUser>().user,
);

/** For limits of a user: behind `SignedInGuard` there always is one. */
export function userOf(request: LimitedRequest): string {
  return (request as RequestOfUser).user!.userId;
}

/** For limits of a session. */
export function sessionOf(request: LimitedRequest): string {
  return (request as RequestOfUser).user!.sessionId;
}
