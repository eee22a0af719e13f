import {
  AccessTokens,
  bearerToken,
  CurrentUser,
  NeedsDatabase,
  SignedInOnly,
  RateLimit,
  RateWindows,
  LimitedBy,
  RateLimitGuard,
  Refuses,
  type SignedIn,
} from '@evenkeel/platform/auth';
import { badQuery, JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsConfig } from '../accounts.config';
import { originOf } from '../security/mail-address';
import type { AccountUser } from '../users/account-user';
import { EndSessions } from './end-sessions';
import { IssueTokens } from './issue-tokens';
import { InvalidRefreshToken, RefreshSession } from './refresh-session';
import { RefreshTokenBody, AccessTokenView, TokenPair } from './token-views';

const BODY = { recorded: { value: { refreshToken: 'hrr_pX0n1GQ0k0b8kqkq0m2O3l1v4Zb7xg5d9d2h1c0a8Yw' } } };

const LIMITED = '`rate_limited`: too many requests of this session or user, or from this address';

/** The tokens of a session: new ones, and its end. */
@ApiTags('Sign-in')
@Refuses({ 429: LIMITED })
@NeedsDatabase()
@Controller('v1/auth')
export class TokensController {
  /** Of callers who are known only when the token in the body is found; counted together with those of the guard. */
  private readonly limits: Readonly<Record<'refresh' | 'logout' | 'user', RateLimit>>;

  constructor(
    private readonly config: AccountsConfig,
    windows: RateWindows,
    private readonly accessTokens: AccessTokens,
    private readonly refreshing: RefreshSession,
    private readonly issuing: IssueTokens,
    private readonly ending: EndSessions,
  ) {
    const limit = (policy: 'refresh' | 'logout' | 'user', scope: 'user' | 'address') =>
      new RateLimit(windows, policy, { policy, scope, rate: config.rates[policy] });
    this.limits = {
      refresh: limit('refresh', 'user'),
      logout: limit('logout', 'address'),
      user: limit('user', 'user'),
    };
  }

  @Post('refresh')
  @HttpCode(200)
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  @ApiOperation({
    operationId: 'refresh',
    summary: 'The next pair of tokens',
    description:
      'A refresh token is valid once. Sent again before its successor was used, it gets the same successor; sent later, the session ends.',
    security: [],
  })
  @ApiBody({ type: RefreshTokenBody, examples: BODY })
  @ApiOkResponse({ type: TokenPair, description: 'The pair; the session lives on from now' })
  @Refuses({
    400: '`validation_failed`: no token',
    401: '`invalid_refresh_token`: sign in again; `refresh_token_reused`: the session has ended just now',
  })
  async refresh(
    @JsonBody() body: RefreshTokenBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenPair> {
    const clear = RefreshTokenBody.tokenOf(body);
    if (clear === null) throw badQuery('refreshToken', 'required', 'is required');
    const found = await this.refreshing.find(clear);
    if (!found) throw new InvalidRefreshToken();
    await take(this.limits.refresh, found.sessionId, reply);
    return this.refreshing.execute(found);
  }

  @Post('token/rotate')
  @HttpCode(200)
  @SignedInOnly(['refresh'], { 429: LIMITED })
  @ApiOperation({
    operationId: 'rotateToken',
    summary: 'A new access token',
    description: 'With fresh claims for the same session. The old one is valid until it expires.',
  })
  @ApiOkResponse({ type: AccessTokenView, description: 'The token' })
  rotate(@CurrentUser() user: AccountUser): AccessTokenView {
    return this.issuing.accessOf(user);
  }

  @Post('logout')
  @HttpCode(204)
  @ApiBearerAuth('bearerAuth')
  @ApiOperation({
    operationId: 'logout',
    summary: 'End a session',
    description: 'That of the access token, or that of a refresh token in the body. Also when it is over.',
  })
  @ApiBody({ type: RefreshTokenBody, required: false, examples: BODY })
  @ApiNoContentResponse({ description: 'The session is over' })
  @Refuses({ 400: '`validation_failed`: a body of another form', 401: '`unauthorized`: neither of the two tokens' })
  async logout(
    @JsonBody(new StrictValidationPipe({ emptyIs: {} })) body: RefreshTokenBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const clear = RefreshTokenBody.tokenOf(body);
    const { caller } = originOf(request, this.config.TRUSTED_PROXY_HOPS);
    if (clear !== null) await take(this.limits.logout, caller, reply);
    const session = await (clear === null ? this.sessionOf(bearerToken(request)) : this.refreshing.find(clear));
    if (!session) return;
    await take(this.limits.user, session.userId, reply);
    await this.ending.end(session);
  }

  /** Also of a session that is over. @throws Unauthorized for a token that is none of ours, or not any more */
  private async sessionOf(token: string): Promise<SignedIn> {
    const { sub, sid } = await this.accessTokens.claimsOf(token);
    return { userId: sub, sessionId: sid };
  }
}

/** @throws RateLimited */
async function take(limit: RateLimit, caller: string, reply: FastifyReply): Promise<void> {
  const status = await limit.take(caller);
  if (!status.allowed) throw limit.refusal(status);
  void reply.headers(limit.headers(status));
}
