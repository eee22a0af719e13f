import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Es256Keys } from '@evenkeel/platform/config';
import { CachedDocument, CorsTerms } from '@evenkeel/platform/http';
import {
  AccessKeys,
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
  LiveSessions,
  SignedInGuard,
} from '@evenkeel/platform/auth';
import { badQuery, JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, Get, HttpCode, Options, Post, Req, Res, UseGuards, Global, Module } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiExcludeEndpoint, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Clock } from '@evenkeel/kernel';
import { AccountsConfig } from '../accounts.config';
import { Answers, OpenOperation, Operation } from '../operation';
import { SecurityModule } from '../security/lockout';
import { originOf } from '../security/mail-address';
import { type AccountUser, LiveAccountSessions } from '../users/account-user';
import { EndSessions } from './end-sessions';
import { IssueTokens } from './issue-tokens';
import { InvalidRefreshToken, RefreshSession } from './refresh-session';
import { SessionsController } from './sessions.controller';
import { StartSession } from './start-session';
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
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  @OpenOperation(
    'The next pair of tokens',
    'A refresh token is valid once. Sent again before its successor was used, it gets the same successor; sent later, the session ends.',
  )
  @ApiBody({ type: RefreshTokenBody, examples: BODY })
  @Answers(200, 'The pair; the session lives on from now', { type: TokenPair })
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
  @SignedInOnly(['refresh'], { 429: LIMITED })
  @Operation('A new access token', 'With fresh claims for the same session. The old one is valid until it expires.')
  @Answers(200, 'The token', { type: AccessTokenView })
  rotateToken(@CurrentUser() user: AccountUser): AccessTokenView {
    return this.issuing.accessOf(user);
  }

  @Post('logout')
  @ApiBearerAuth('bearerAuth')
  @Operation('End a session', 'That of the access token, or that of a refresh token in the body. Also when it is over.')
  @ApiBody({ type: RefreshTokenBody, required: false, examples: BODY })
  @Answers(204, 'The session is over')
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

/** The public keys of access tokens, as a JWK Set (RFC 7517). */
@ApiTags('Sign-in')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('.well-known/jwks.json')
export class KeysController {
  private readonly document: CachedDocument;

  constructor({ accessKeys }: AccountsConfig) {
    this.document = new CachedDocument({ keys: accessKeys.published });
  }

  /** 200, or 304 for a caller that has them. */
  @Get()
  @CorsTerms({ origin: '*' })
  @OpenOperation('The public keys of access tokens', 'A JWK Set (RFC 7517). A new key is in it before it signs.')
  @Answers(200, 'The keys', {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['keys'],
          properties: { keys: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } } },
        },
      },
    },
  })
  @ApiResponse({ status: 304, description: 'The caller has them: the ETag is the one of If-None-Match' })
  @Refuses({ 429: '`rate_limited`: too many requests from this address' })
  listAccessTokenKeys(@Res() reply: FastifyReply): void {
    this.document.send(reply);
  }

  /** A page that asks whether they are still the same sends one first. */
  @Options()
  @CorsTerms({ origin: '*' })
  @HttpCode(204)
  @ApiExcludeEndpoint()
  preflight(): void {}
}

/** The keys of the service that signs. */
class OwnAccessKeys extends AccessKeys {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor({ published }: Es256Keys) {
    super();
    this.keys = new Map(
      published.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })] as const),
    );
  }

  async keyOf(kid: string): Promise<KeyObject | null> {
    return this.keys.get(kid) ?? null;
  }
}

const accessTokens = {
  provide: AccessTokens,
  inject: [AccountsConfig, Clock],
  useFactory: (config: AccountsConfig, clock: Clock) =>
    new AccessTokens(new OwnAccessKeys(config.accessKeys), { issuer: config.baseUrl, audience: 'v1' }, clock),
};

/** Sessions, their tokens, and the guard that every route of a person has. */
@Global()
@Module({
  imports: [SecurityModule],
  controllers: [TokensController, SessionsController, KeysController],
  providers: [
    accessTokens,
    { provide: LiveSessions, useClass: LiveAccountSessions },
    SignedInGuard,
    IssueTokens,
    StartSession,
    EndSessions,
    RefreshSession,
  ],
  exports: [AccessTokens, LiveSessions, SignedInGuard, IssueTokens, StartSession, EndSessions],
})
export class SessionsModule {}
