import { CurrentUser, NeedsDatabase, SignedInOnly, LimitedBy, RateLimitGuard, Refuses } from '@evenkeel/platform/auth';
import { JsonBody } from '@evenkeel/platform/validation';
import type { FastifyRequest } from 'fastify';
import { Controller, Post, Req, UseGuards, Module } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { AccountsConfig } from '../accounts.config';
import { Answers, OpenOperation, Operation } from '../operation';
import { originOf } from '../security/mail-address';
import type { Device } from '../sessions/start-session';
import { SignedInView } from '../sessions/token-views';
import type { AccountUser } from '../users/account-user';
import { MailsModule } from '../mails/mails.module';
import { SecurityModule } from '../security/lockout';
import { SessionsModule } from '../sessions/tokens.controller';
import { ChangePasswordBody, LoginBody, RegisterBody } from './credentials.dto';
import { Login, Register, ReplacePassword } from './sign-in';

const EXAMPLE = { email: 'ana@example.com', password: 'seven quiet otters' };
const REFUSED_PASSWORD =
  '`validation_failed`: the body is not as described; `password_breached`: choose another password';

@ApiTags('Sign-in')
@NeedsDatabase()
@Controller('v1/auth')
export class SignInController {
  constructor(
    private readonly config: AccountsConfig,
    private readonly registering: Register,
    private readonly signingIn: Login,
    private readonly replacing: ReplacePassword,
  ) {}

  @Post('register')
  @UseGuards(RateLimitGuard)
  @LimitedBy('register')
  @OpenOperation('Make an account', 'The person is signed in, and gets a mail to show that the address is theirs.')
  @ApiBody({ type: RegisterBody, examples: { recorded: { value: { ...EXAMPLE, timezone: 'Europe/Madrid' } } } })
  @Answers(201, 'The account, and the tokens of its first session', { type: SignedInView })
  @Refuses({
    400: REFUSED_PASSWORD,
    409: '`email_already_registered`: sign in',
    429: '`rate_limited`: too many requests from this address',
  })
  register(@JsonBody() body: RegisterBody, @Req() request: FastifyRequest): Promise<SignedInView> {
    return this.registering.execute(body, this.deviceOf(request));
  }

  @Post('login')
  @UseGuards(RateLimitGuard)
  @LimitedBy('login')
  @OpenOperation(
    'Sign in',
    'Ten wrong passwords for an account from one address of the network lock it there, and there alone, for 15 minutes.',
  )
  @ApiBody({ type: LoginBody, examples: { recorded: { value: EXAMPLE } } })
  @Answers(200, 'The tokens of a new session', { type: SignedInView })
  @Refuses({
    400: '`validation_failed`: the body is not as described',
    401: '`invalid_credentials`: wrong address or password',
    429: '`rate_limited`: too many requests from this address, or wrong passwords for this account',
  })
  login(@JsonBody() body: LoginBody, @Req() request: FastifyRequest): Promise<SignedInView> {
    return this.signingIn.execute(body, this.deviceOf(request));
  }

  @Post('password/change')
  @SignedInOnly(['user'], {
    401: '`unauthorized`: no valid access token; `invalid_credentials`: wrong password',
    429: '`rate_limited`: too many requests of this user, or wrong passwords for this account',
  })
  @Operation(
    'Choose another password',
    'All other sessions end. A wrong current password is a failure for the lockout.',
  )
  @ApiBody({
    type: ChangePasswordBody,
    examples: { recorded: { value: { currentPassword: EXAMPLE.password, newPassword: 'eight quiet otters' } } },
  })
  @Answers(204, 'The new password is valid')
  @Refuses({ 400: REFUSED_PASSWORD })
  changePassword(
    @CurrentUser() user: AccountUser,
    @JsonBody() body: ChangePasswordBody,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.replacing.change(user, body, originOf(request, this.config.TRUSTED_PROXY_HOPS));
  }

  private deviceOf(request: FastifyRequest): Device {
    const userAgent = request.headers['user-agent']?.slice(0, 200) ?? null;
    return { ...originOf(request, this.config.TRUSTED_PROXY_HOPS), userAgent };
  }
}

/** How people come in. */
@Module({
  imports: [SecurityModule, SessionsModule, MailsModule],
  controllers: [SignInController],
  providers: [Register, Login, ReplacePassword],
  exports: [ReplacePassword],
})
export class SignInModule {}
