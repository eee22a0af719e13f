import { ErrorBody } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import {
  bearerToken,
  CurrentUser,
  LimitedBy,
  NeedsDatabase,
  RateLimitGuard,
  SignedInOnly,
} from '@evenkeel/platform/auth';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountsConfig } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import { originOf } from '../security/mail-address';
import type { AccountUser } from '../users/account-user';
import { FindRefreshToken, InvalidRefreshToken, RefreshSession } from './refresh-session';
import { IssueTokens } from './issue-tokens';
import { Logout } from './end-sessions';
import { RefreshTokenBody, tokenRequired, AccessTokenView, TokenPair } from './token-views';
import { TokenLimits } from './token-limits';

const BODY = { recorded: { value: { refreshToken: TokenPair.example.refreshToken } } };

/** The tokens of a session: new ones, and its end. */
const LIMITED = '`rate_limited`: too many requests of this session or user, or from this address';

@ApiTags('Sign-in')
@ApiResponse({ status: 429, type: ErrorBody, description: LIMITED })
@NeedsDatabase()
@Controller('v1/auth')
export class TokensController {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly findToken: FindRefreshToken,
    private readonly limits: TokenLimits,
    private readonly refreshing: RefreshSession,
    private readonly issuing: IssueTokens,
    private readonly leaving: Logout,
  ) {}

  @Post('refresh')
  @HttpCode(200)
  @UseGuards(RateLimitGuard)
  @LimitedBy('discovery')
  @ApiOperation({
    operationId: 'refresh',
    summary: 'The next pair of tokens',
    description:
      'A refresh token counts once. Sent again before its successor was used, it gets the same successor; sent later, the session ends.',
    security: [],
  })
  @ApiBody({ type: RefreshTokenBody, examples: BODY })
  @ApiOkResponse({
    type: TokenPair,
    description: 'The pair; the session lives on from now',
    examples: { recorded: { summary: 'A pair', value: TokenPair.example } },
  })
  @ApiResponse({ status: 400, type: ErrorBody, description: '`validation_failed`: no token' })
  @ApiResponse({
    status: 401,
    type: ErrorBody,
    description: '`invalid_refresh_token`: sign in again; `refresh_token_reused`: the session has ended just now',
  })
  async refresh(
    @JsonBody() body: RefreshTokenBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenPair> {
    const clear = RefreshTokenBody.tokenOf(body);
    if (clear === null) throw tokenRequired();
    const found = await this.findToken.execute(clear);
    if (!found) throw new InvalidRefreshToken();
    await this.limits.ofSession(found.sessionId, reply);
    return this.refreshing.execute(found);
  }

  @Post('token/rotate')
  @HttpCode(200)
  @SignedInOnly(['refresh'], { 429: LIMITED })
  @ApiOperation({
    operationId: 'rotateToken',
    summary: 'A new access token',
    description: 'With fresh claims for the same session. The old one counts until it ends by itself.',
  })
  @ApiOkResponse({
    type: AccessTokenView,
    description: 'The token',
    examples: { recorded: { summary: 'A token', value: AccessTokenView.example } },
  })
  rotate(@CurrentUser() { userId, sessionId, signedInAt, accessUntil }: AccountUser): AccessTokenView {
    return this.issuing.accessAnswer({
      ...{ userId, sessionId, signedInAt },
      tier: tierAt(accessUntil, this.clock.now()),
    });
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
  @ApiResponse({ status: 400, type: ErrorBody, description: '`validation_failed`: a body of another form' })
  @ApiResponse({ status: 401, type: ErrorBody, description: '`unauthorized`: neither of the two tokens' })
  async logout(
    @JsonBody(new StrictValidationPipe({ emptyIs: {} })) body: RefreshTokenBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const clear = RefreshTokenBody.tokenOf(body);
    const { caller } = originOf(request, this.config.TRUSTED_PROXY_HOPS);
    if (clear !== null) await this.limits.ofLogout(caller, reply);
    const session = await (clear === null
      ? this.leaving.sessionOfAccessToken(bearerToken(request))
      : this.findToken.execute(clear));
    if (!session) return;
    await this.limits.ofUser(session.userId, reply);
    await this.leaving.execute(session);
  }
}
